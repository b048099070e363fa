import { Select } from '../../ui/Select';
import { Switch } from '../../ui/Switch';
import { environments as words } from './messages';
import type { GuardedFields } from './queries';

const NUMBERS = [1, 2, 3, 4, 5];

interface GuardFieldsProps {
  fields: GuardedFields;
  onChange: (fields: Partial<GuardedFields>) => void;
}

/** Whether flags change by approval alone, and by how many people's. */
export function GuardFields({ fields, onChange }: GuardFieldsProps) {
  return (
    <div className="stack close">
      <Switch
        label={words.protected()}
        isOn={fields.protected}
        onChange={isOn => onChange({ protected: isOn })}
      />
      <p className="soft">{words.protectedText()}</p>
      {fields.protected ? (
        <Select
          label={words.requiredApprovals()}
          choices={NUMBERS.map(number => ({ id: String(number), label: words.people(number) }))}
          value={String(fields.required_approvals)}
          onChange={id => onChange({ required_approvals: Number(id) })}
        />
      ) : null}
    </div>
  );
}
