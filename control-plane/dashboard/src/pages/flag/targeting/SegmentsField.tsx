import { X } from 'lucide-react';
import { useId, useState } from 'react';
import { Combo } from '../../../parts/Combo';
import fields from '../../../parts/Fields.module.css';
import field from '../../../ui/Field.module.css';
import { useEditor } from './editor';
import { ruleWords } from './messages';
import styles from './Rules.module.css';

interface SegmentsFieldProps {
  keys: readonly string[];
  onChange: (keys: string[]) => void;
}

/** The segments that a rule is about, and the others to choose from. */
export function SegmentsField({ keys, onChange }: SegmentsFieldProps) {
  const { segments, segmentName, isReadOnly } = useEditor();
  const [typed, setTyped] = useState('');
  const labelId = useId();
  const others = segments.segments.filter(({ key }) => !keys.includes(key));
  // With a list that was cut short a key that is not in it may still be one.
  const takesTyped = !segments.isComplete;
  return (
    <div className={field.field}>
      <span id={labelId} className={field.label}>
        {ruleWords.segments()}
      </span>
      {keys.length > 0 ? (
        <ul className={styles.chips} aria-labelledby={labelId}>
          {keys.map(key => (
            <li key={key} className={`${fields.chip} ${fields.plainChip}`}>
              <span title={key}>{segmentName(key)}</span>
              {isReadOnly ? null : (
                <button
                  type="button"
                  className={fields.drop}
                  aria-label={ruleWords.removeSegment(segmentName(key))}
                  onClick={() => onChange(keys.filter(other => other !== key))}
                >
                  <X size={14} aria-hidden />
                </button>
              )}
            </li>
          ))}
        </ul>
      ) : null}
      {isReadOnly ? null : segments.segments.length === 0 ? (
        <span className={field.description}>{ruleWords.noSegments()}</span>
      ) : others.length === 0 ? null : (
        <form
          className={styles.narrowField}
          onSubmit={event => {
            event.preventDefault();
            if (!takesTyped || typed === '' || keys.includes(typed)) return;
            onChange([...keys, typed]);
            setTyped('');
          }}
        >
          <Combo
            key={keys.length}
            label={ruleWords.addSegment()}
            placeholder={ruleWords.addSegment()}
            choices={others.map(({ key, name }) => ({
              id: key,
              label: name === key ? key : `${name} (${key})`,
            }))}
            value={typed}
            onChange={setTyped}
            onChoose={key => {
              if (!others.some(other => other.key === key)) return;
              onChange([...keys, key]);
              setTyped('');
            }}
          />
        </form>
      )}
      {segments.segments.length === 0 ? null : (
        <span className={field.description}>{ruleWords.segmentsText()}</span>
      )}
    </div>
  );
}
