import { useState } from 'react';
import { TextField } from '../ui/Field';
import { shared } from './messages';
import { NameField } from './NameField';
import { keyOf, slugOf } from './suggest';

const KINDS = {
  key: { label: shared.key, longest: 255, suggest: keyOf },
  slug: { label: shared.slug, longest: 100, suggest: slugOf },
};

interface Names {
  name: string;
  onName: (name: string) => void;
  /** The key or slug. */
  handle: string;
  onHandle: (handle: string) => void;
}

interface NameFieldsProps extends Names {
  /** The name in programs and addresses. */
  by: keyof typeof KINDS;
  description: string;
  isReadOnly?: boolean;
  autoFocus?: boolean;
}

/** The two names of a thing: one for people, and a key or slug. */
export function NameFields({ by, description, name, onName, handle, onHandle, ...rest }: NameFieldsProps) {
  const { label, longest } = KINDS[by];
  const { isReadOnly = false, autoFocus = false } = rest;
  return (
    <>
      <NameField isReadOnly={isReadOnly} autoFocus={autoFocus} value={name} onChange={onName} />
      <TextField
        name={by}
        label={label()}
        description={description}
        isRequired
        isReadOnly={isReadOnly}
        autoComplete="off"
        spellCheck="false"
        maxLength={longest}
        value={handle}
        onChange={onHandle}
      />
    </>
  );
}

/** Those of a new thing: its key or slug follows the name until one is typed. */
export function useNewNames(by: keyof typeof KINDS): Names {
  const [name, onName] = useState('');
  const [written, onHandle] = useState<string | null>(null);
  return { name, onName, handle: written ?? KINDS[by].suggest(name), onHandle };
}
