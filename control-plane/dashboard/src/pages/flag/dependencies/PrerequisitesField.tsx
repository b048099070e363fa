import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useId, useState } from 'react';
import type { NamedProject } from '../../../frame/project';
import { Combo } from '../../../parts/Combo';
import fields from '../../../parts/Fields.module.css';
import field from '../../../ui/Field.module.css';
import { usePaused } from '../../../ui/usePaused';
import styles from './Dependencies.module.css';
import { prerequisites } from './messages';
import { flagChoicesQuery, relationsQuery } from './queries';

interface PrerequisitesFieldProps {
  project: NamedProject;
  flagKey: string;
  keys: readonly string[];
  onChange: (keys: string[]) => void;
  isDisabled: boolean;
  error: string | undefined;
}

/** Typing pauses this long before flags are looked for. */
const PAUSE_MS = 200;

/** The flags that this one requires, and others to choose from. */
export function PrerequisitesField({
  project,
  flagKey,
  keys,
  onChange,
  isDisabled,
  error,
}: PrerequisitesFieldProps) {
  const [typed, setTyped] = useState('');
  const paused = usePaused(typed, PAUSE_MS);
  const choices = useQuery({ ...flagChoicesQuery(project.id, paused), enabled: !isDisabled });
  const relations = useQuery(relationsQuery(project.id, flagKey));
  const labelId = useId();
  const others = (choices.data ?? []).filter(({ key }) => key !== flagKey && !keys.includes(key));
  const lost = (relations.data?.flags ?? []).filter(
    ({ key, name, archived }) => keys.includes(key) && (name === null || archived),
  );
  const add = (key: string) => {
    onChange([...keys, key]);
    setTyped('');
  };
  return (
    <div className={field.field}>
      <span id={labelId} className={field.label}>
        {prerequisites.label()}
      </span>
      {keys.length > 0 ? (
        <ul className={styles.chips} aria-labelledby={labelId}>
          {keys.map(key => (
            <li key={key} className={fields.chip}>
              <span title={key}>{key}</span>
              {isDisabled ? null : (
                <button
                  type="button"
                  className={fields.drop}
                  aria-label={prerequisites.remove(key)}
                  onClick={() => onChange(keys.filter(other => other !== key))}
                >
                  <X size={14} aria-hidden />
                </button>
              )}
            </li>
          ))}
        </ul>
      ) : null}
      {isDisabled ? null : (
        <div className={styles.add}>
          <Combo
            key={keys.length}
            isSearched
            label={prerequisites.add()}
            placeholder={prerequisites.add()}
            choices={others.map(({ key, name }) => ({
              id: key,
              text: key,
              label: name === key ? key : `${name} (${key})`,
            }))}
            value={typed}
            onChange={setTyped}
            onChoose={key => {
              if (others.some(other => other.key === key)) add(key);
            }}
            error={error}
          />
        </div>
      )}
      <span className={field.description}>{prerequisites.text()}</span>
      {lost.map(({ key, name }) => (
        <p key={key} className={styles.notes}>
          {name === null ? prerequisites.missing(key) : prerequisites.archived(key)} {prerequisites.effect()}
        </p>
      ))}
    </div>
  );
}
