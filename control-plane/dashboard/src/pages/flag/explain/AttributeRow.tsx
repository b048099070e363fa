import { Trash2 } from 'lucide-react';
import { Combo } from '../../../parts/Combo';
import { EditField } from '../../../parts/Fields';
import { IconButton } from '../../../ui/Button';
import { Select } from '../../../ui/Select';
import { ATTRIBUTE_TYPES, type Attribute, type Problem, retyped } from './context';
import styles from './Explain.module.css';
import { explainWords } from './messages';

interface AttributeRowProps {
  attribute: Attribute;
  place: number;
  /** Names that the rules look at. */
  known: readonly string[];
  problem: Problem | null;
  /** It was just added: the first of its fields that is empty takes the focus. */
  isFresh: boolean;
  onChange: (attribute: Attribute) => void;
  onRemove: () => void;
}

/** An attribute of the context: its name, its type and its value. */
export function AttributeRow({
  attribute,
  place,
  known,
  problem,
  isFresh,
  onChange,
  onRemove,
}: AttributeRowProps) {
  const { name, type, value } = attribute;
  const isOfName = problem === 'twice' || problem === 'unnamed';
  const text = problem === null ? undefined : explainWords.problem(problem);
  return (
    <fieldset className={styles.attribute}>
      <legend className="hidden">{explainWords.attribute(place)}</legend>
      <Combo
        label={explainWords.name()}
        placeholder={explainWords.name()}
        choices={known.map(id => ({ id, label: id }))}
        value={name}
        onChange={next => onChange({ ...attribute, name: next })}
        autoFocus={isFresh && name === ''}
        error={isOfName ? text : undefined}
      />
      <Select
        label={explainWords.type()}
        isLabelHidden
        choices={ATTRIBUTE_TYPES.map(id => ({ id, label: explainWords.typeName(id) }))}
        value={type}
        onChange={id => onChange(retyped(attribute, ATTRIBUTE_TYPES.find(known => known === id) ?? type))}
      />
      {type === 'boolean' ? (
        <Select
          label={explainWords.value()}
          isLabelHidden
          choices={[
            { id: 'true', label: explainWords.isTrue() },
            { id: 'false', label: explainWords.isFalse() },
          ]}
          value={value === 'true' ? 'true' : 'false'}
          onChange={next => onChange({ ...attribute, value: next })}
        />
      ) : (
        <EditField
          label={explainWords.value()}
          isLabelHidden
          placeholder={explainWords.value()}
          isCode={type === 'json'}
          autoFocus={isFresh && name !== ''}
          inputMode={type === 'number' ? 'decimal' : 'text'}
          value={value}
          onChange={next => onChange({ ...attribute, value: next })}
          error={isOfName ? undefined : text}
        />
      )}
      <IconButton label={explainWords.remove(name)} onPress={onRemove}>
        <Trash2 size={16} aria-hidden />
      </IconButton>
    </fieldset>
  );
}
