import { Plus, X } from 'lucide-react';
import { Button, IconButton } from '../../ui/Button';
import { TextField } from '../../ui/Field';
import { Select } from '../../ui/Select';
import { GIVEN_ROLES, type GivenRole, type Mapping, rowName } from './fields';
import { form as words } from './messages';
import styles from './Providers.module.css';

interface MappingRowsProps {
  mappings: readonly Mapping[];
  onChange: (mappings: readonly Mapping[]) => void;
}

/** What the values of the claim stand for, a row each. */
export function MappingRows({ mappings, onChange }: MappingRowsProps) {
  const put = (changed: Mapping) => onChange(mappings.map(row => (row.id === changed.id ? changed : row)));
  const add = () => {
    const id = Math.max(-1, ...mappings.map(row => row.id)) + 1;
    onChange([...mappings, { id, value: '', role: 'developer' }]);
  };
  return (
    <fieldset className="stack close">
      <legend>{words.mappings()}</legend>
      <p className="soft small">{words.mappingsText()}</p>
      {mappings.map(mapping => (
        <div key={mapping.id} className={styles.mapping}>
          <TextField
            name={rowName(mapping.id)}
            label={words.value()}
            autoComplete="off"
            spellCheck="false"
            value={mapping.value}
            onChange={value => put({ ...mapping, value })}
          />
          <Select
            label={words.means()}
            choices={GIVEN_ROLES.map(id => ({ id, label: words.role(id) }))}
            value={mapping.role}
            onChange={role => put({ ...mapping, role: role as GivenRole })}
          />
          <div className={styles.drop}>
            <IconButton
              label={words.removeMapping(mapping.value)}
              onPress={() => onChange(mappings.filter(({ id }) => id !== mapping.id))}
            >
              <X size={16} aria-hidden />
            </IconButton>
          </div>
        </div>
      ))}
      <div>
        <Button onPress={add}>
          <Plus size={16} aria-hidden />
          {words.addMapping()}
        </Button>
      </div>
    </fieldset>
  );
}
