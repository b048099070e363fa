import { useState } from 'react';
import { placeOf } from '../../changeSets/drafting';
import type { Part } from '../../changeSets/queries';
import { Json } from '../../diff/Difference';
import { Button } from '../../ui/Button';
import { Chip } from '../../ui/Chip';
import { Value } from '../../ui/Value';
import styles from './ChangeSets.module.css';
import { words } from './messages';
import { conflictsOf, nameOf } from './parts';
import type { Conflict } from './queries';

interface ChangesProps {
  parts: readonly Part[];
  conflicts: readonly Conflict[];
}

/** What a change set does, thing by thing. */
export function Changes({ parts, conflicts }: ChangesProps) {
  return (
    <ul className={styles.parts}>
      {parts.map(part => (
        <Thing key={placeOf(part)} part={part} conflicts={conflictsOf(part, conflicts)} />
      ))}
    </ul>
  );
}

function Thing({ part, conflicts }: { part: Part; conflicts: readonly Conflict[] }) {
  const [isOpen, setOpen] = useState(false);
  const { kind, action, sentences, before, after } = part;
  const name = nameOf(part);
  return (
    <li>
      <div className="row apart">
        <h3 className={styles.part}>
          {words.kind(kind)} <Value>{name}</Value>
        </h3>
        <Chip>{words.actions[action]}</Chip>
      </div>
      {sentences.length === 0 ? (
        <p>{words.whole[action]}</p>
      ) : (
        <ul className={styles.sentences}>
          {sentences.map(sentence => (
            <li key={sentence}>
              <Value>{sentence}</Value>
            </li>
          ))}
        </ul>
      )}
      {conflicts.map(conflict => (
        <Moved key={conflict.field ?? ''} conflict={conflict} />
      ))}
      <div>
        <Button
          look="quiet"
          aria-expanded={isOpen}
          aria-label={words.fieldsOf(name)}
          onPress={() => setOpen(!isOpen)}
        >
          {words.fields()}
        </Button>
      </div>
      {isOpen ? <Json before={before} after={after} /> : null}
    </li>
  );
}

/** What somebody else made of a field since the draft. */
function Moved({ conflict }: { conflict: Conflict }) {
  const { field, base, proposed, current } = conflict;
  const sides = [
    [words.base(), base],
    [words.proposed(), proposed],
    [words.current(), current],
  ] as const;
  return (
    <div className={styles.conflict}>
      <strong>{words.conflict()}</strong>
      <span>{field === null ? words.thing() : words.field(field)}</span>
      <dl className={styles.sides}>
        {sides.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              {field === null && value === null ? (
                words.absent()
              ) : (
                <code>
                  <Value>{JSON.stringify(value)}</Value>
                </code>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
