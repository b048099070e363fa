import { Trash2 } from 'lucide-react';
import type { Condition } from '../api/model';
import { Combo } from '../parts/Combo';
import { EditField } from '../parts/Fields';
import { IconButton } from '../ui/Button';
import { Select } from '../ui/Select';
import { ChipsField } from './ChipsField';
import styles from './Conditions.module.css';
import { conditionWords } from './messages';
import { CHOICES, choiceOf, type OperatorChoice, valuesOf, withChoice } from './operators';

export interface ConditionEditorProps {
  condition: Condition;
  place: number;
  /** Names to choose from; others may be typed. */
  attributes: readonly string[];
  isReadOnly: boolean;
  /** Messages about the two fields. */
  attributeProblem: string | undefined;
  valuesProblem: string | undefined;
  autoFocus: boolean;
  onChange: (condition: Condition) => void;
  onRemove: () => void;
}

const OPERATORS = CHOICES.map(id => ({ id, label: conditionWords.operatorName(id) }));

/** One test of one attribute: which, how it compares, and with what. */
export function ConditionEditor({
  condition,
  place,
  attributes,
  isReadOnly,
  attributeProblem,
  valuesProblem,
  autoFocus,
  onChange,
  onRemove,
}: ConditionEditorProps) {
  const choice = choiceOf(condition);
  const kind = valuesOf(choice);
  return (
    <fieldset className={styles.condition}>
      <legend className="hidden">{conditionWords.conditionOf(place)}</legend>
      <Combo
        label={conditionWords.attribute()}
        placeholder={conditionWords.attributePlaceholder()}
        choices={attributes.map(id => ({
          id,
          text: id,
          label: id === 'key' ? conditionWords.attributeKey() : id,
        }))}
        value={condition.attribute}
        onChange={attribute => onChange({ ...condition, attribute })}
        autoFocus={autoFocus}
        isDisabled={isReadOnly}
        error={attributeProblem}
      />
      <Select
        label={conditionWords.operator()}
        isLabelHidden
        isDisabled={isReadOnly}
        choices={OPERATORS}
        value={choice}
        onChange={id => onChange(withChoice(condition, id as OperatorChoice))}
      />
      {kind === 'none' ? (
        <span />
      ) : kind === 'one' && condition.values.length < 2 ? (
        <EditField
          label={conditionWords.value()}
          isLabelHidden
          isCode
          isDisabled={isReadOnly}
          value={condition.values[0] ?? ''}
          onChange={text => onChange({ ...condition, values: text === '' ? [] : [text] })}
          error={valuesProblem}
        />
      ) : (
        <ChipsField
          label={conditionWords.valuesOf(condition.attribute)}
          values={condition.values}
          onChange={values => onChange({ ...condition, values })}
          isPattern={choice === 'regex'}
          isDisabled={isReadOnly}
          error={valuesProblem}
        />
      )}
      {isReadOnly ? null : (
        <IconButton label={conditionWords.removeCondition(condition)} onPress={onRemove}>
          <Trash2 size={16} aria-hidden />
        </IconButton>
      )}
    </fieldset>
  );
}
