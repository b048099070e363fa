import { NameFields } from '../../parts/NameFields';
import { ColorField } from './ColorField';
import { environments as words } from './messages';
import type { EnvironmentFields as Fields } from './queries';

interface EnvironmentFieldsProps {
  fields: Fields;
  onChange: (fields: Partial<Fields>) => void;
}

export function EnvironmentFields({ fields, onChange }: EnvironmentFieldsProps) {
  return (
    <>
      <NameFields
        by="slug"
        description={words.slugText()}
        name={fields.name}
        onName={name => onChange({ name })}
        handle={fields.slug}
        onHandle={slug => onChange({ slug })}
        autoFocus
      />
      <ColorField value={fields.color} onChange={color => onChange({ color })} />
    </>
  );
}
