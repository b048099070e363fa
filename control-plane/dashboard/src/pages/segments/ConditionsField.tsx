import { Plus } from 'lucide-react';
import { useState } from 'react';
import { ConditionEditor } from '../../conditions/ConditionEditor';
import { NEW_CONDITION } from '../../conditions/edit';
import { Radios } from '../../parts/Radios';
import { Button } from '../../ui/Button';
import { Banner } from '../../ui/Feedback';
import { segments as words } from './messages';
import type { SegmentFields } from './queries';
import styles from './Segments.module.css';

interface ConditionsFieldProps {
  fields: SegmentFields;
  onChange: (change: Partial<SegmentFields>) => void;
  /** Names of attributes to choose from. */
  attributes: readonly string[];
  isReadOnly: boolean;
  /** Warnings about the conditions. */
  notes: readonly string[];
  /** The message about a field; the path is as the service names it. */
  problemAt: (path: string) => string | undefined;
}

/** Who is in the segment: conditions, and whether all of them or any have to be met. */
export function ConditionsField({
  fields,
  onChange,
  attributes,
  isReadOnly,
  notes,
  problemAt,
}: ConditionsFieldProps) {
  const { rules: conditions, match_type } = fields;
  // The condition that was added last takes the focus.
  const [fresh, setFresh] = useState<number | null>(null);
  return (
    <section className="stack" aria-labelledby="membership">
      <h2 id="membership">{words.membership()}</h2>
      {conditions.length > 1 ? (
        <Radios
          label={words.match()}
          isRow
          isDisabled={isReadOnly}
          choices={[
            { id: 'all', label: words.matchAll() },
            { id: 'any', label: words.matchAny() },
          ]}
          value={match_type}
          onChange={match => onChange({ match_type: match })}
        />
      ) : null}
      {conditions.length === 0 ? <p className="soft">{words.noConditions()}</p> : null}
      <div className={styles.conditions}>
        {conditions.map((condition, place) => (
          <ConditionEditor
            key={place}
            condition={condition}
            place={place}
            attributes={attributes}
            isReadOnly={isReadOnly}
            autoFocus={place === fresh}
            attributeProblem={problemAt(`rules[${place}].attribute`)}
            valuesProblem={problemAt(`rules[${place}].values`)}
            onChange={next => onChange({ rules: conditions.with(place, next) })}
            onRemove={() => onChange({ rules: conditions.toSpliced(place, 1) })}
          />
        ))}
      </div>
      {notes.map(note => (
        <Banner key={note} tone="note">
          {note}
        </Banner>
      ))}
      {isReadOnly ? null : (
        <div>
          <Button
            onPress={() => {
              setFresh(conditions.length);
              onChange({ rules: [...conditions, NEW_CONDITION] });
            }}
          >
            <Plus size={16} aria-hidden />
            {words.addCondition()}
          </Button>
        </div>
      )}
    </section>
  );
}
