import { Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { EditField } from '../../../parts/Fields';
import { Button } from '../../../ui/Button';
import { AttributeRow } from './AttributeRow';
import type { Attribute, ContextForm, Read } from './context';
import styles from './Explain.module.css';
import { withAttributes } from './edited';
import { explainWords } from './messages';

interface ContextFieldsProps {
  form: ContextForm;
  read: Read;
  /** Names that the rules look at. */
  known: readonly string[];
  onChange: (form: ContextForm) => void;
}

/** The context as a form. */
export function ContextFields({ form, read, known, onChange }: ContextFieldsProps) {
  // The attribute that was added last takes the focus.
  const [fresh, setFresh] = useState<number | null>(null);
  const rows = useKeys(form.attributes);
  const lacking = known.filter(name => !form.attributes.some(attribute => attribute.name === name));
  const change = (attributes: readonly Attribute[]) => onChange({ ...form, attributes });
  return (
    <div className="stack">
      <EditField
        label={explainWords.key()}
        description={explainWords.keyText()}
        value={form.key}
        onChange={key => onChange({ ...form, key })}
      />
      <div className="stack close">
        <h3>{explainWords.attributes()}</h3>
        <p className="soft small">{explainWords.attributesText()}</p>
        {form.attributes.map((attribute, place) => (
          <AttributeRow
            key={rows.keyAt(place)}
            attribute={attribute}
            place={place}
            known={known}
            isFresh={place === fresh}
            problem={!read.ok && read.place === place ? read.problem : null}
            onChange={next => change(form.attributes.map((other, index) => (index === place ? next : other)))}
            onRemove={() => {
              rows.remove(place);
              change(form.attributes.filter((_, index) => index !== place));
            }}
          />
        ))}
        <div className={styles.actions}>
          <Button
            onPress={() => {
              setFresh(form.attributes.length);
              change([...form.attributes, { name: '', type: 'text', value: '' }]);
            }}
          >
            <Plus size={16} aria-hidden />
            {explainWords.add()}
          </Button>
          {lacking.length > 0 ? (
            <Button
              onPress={() => {
                setFresh(form.attributes.filter(({ name }) => name !== '').length);
                onChange(withAttributes(form, lacking));
              }}
            >
              {explainWords.addKnown(lacking)}
            </Button>
          ) : null}
        </div>
      </div>
    </div>
  );
}

/** Keys for rows that have no name of their own: they stay with their row when one before it is removed. */
function useKeys(rows: readonly unknown[]) {
  const next = useRef(0);
  const keys = useRef<number[]>([]);
  while (keys.current.length < rows.length) {
    keys.current.push(next.current);
    next.current += 1;
  }
  keys.current.length = rows.length;
  return {
    keyAt: (place: number) => keys.current[place] ?? place,
    remove: (place: number) => keys.current.splice(place, 1),
  };
}
