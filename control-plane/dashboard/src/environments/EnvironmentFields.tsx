import { environments as words } from '../messages/environments';
import { places } from '../messages/places';
import { TextField } from '../ui/Field';
import { ColorField } from './ColorField';
import type { EnvironmentFields as Fields } from './queries';

interface EnvironmentFieldsProps {
  fields: Fields;
  onChange: (fields: Partial<Fields>) => void;
}

export function EnvironmentFields({ fields, onChange }: EnvironmentFieldsProps) {
  return (
    <>
      <TextField
        name="name"
        label={places.name()}
        isRequired
        autoFocus
        autoComplete="off"
        maxLength={255}
        value={fields.name}
        onChange={name => onChange({ name })}
      />
      <TextField
        name="slug"
        label={places.slug()}
        description={words.slugText()}
        isRequired
        autoComplete="off"
        spellCheck="false"
        maxLength={100}
        value={fields.slug}
        onChange={slug => onChange({ slug })}
      />
      <ColorField value={fields.color} onChange={color => onChange({ color })} />
    </>
  );
}
