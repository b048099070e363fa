import { Trash2 } from 'lucide-react';
import type { Condition } from '../api/model';
import { ruleWords } from '../pages/flag/targeting/messages';
import styles from '../pages/flag/targeting/Rules.module.css';
import { ChipsField } from '../parts/ChipsField';
import { Combo } from '../parts/Combo';
import { EditField } from '../parts/Fields';
import { IconButton } from '../ui/Button';
import { Select } from '../ui/Select';
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

const OPERATORS = CHOICES.map(id => ({ id, label: ruleWords.operatorName(id) }));

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
      <legend className="hidden">{ruleWords.conditionOf(place)}</legend>
      <Combo
        label={ruleWords.attribute()}
        placeholder={ruleWords.attributePlaceholder()}
        choices={attributes.map(id => ({
          id,
          text: id,
          label: id === 'key' ? ruleWords.attributeKey() : id,
        }))}
        value={condition.attribute}
        onChange={attribute => onChange({ ...condition, attribute })}
        autoFocus={autoFocus}
        isDisabled={isReadOnly}
        error={attributeProblem}
      />
      <Select
        label={ruleWords.operator()}
        isLabelHidden
        isDisabled={isReadOnly}
        choices={OPERATORS}
        value={choice}
        onChange={id => onChange(withChoice(condition, id as OperatorChoice))}
      />
      {kind === 'none' ? (
        <span className={styles.noValues} />
      ) : kind === 'one' && condition.values.length < 2 ? (
        <EditField
          label={ruleWords.value()}
          isLabelHidden
          isCode
          isDisabled={isReadOnly}
          value={condition.values[0] ?? ''}
          onChange={text => onChange({ ...condition, values: text === '' ? [] : [text] })}
          error={valuesProblem}
        />
      ) : (
        <ChipsField
          label={ruleWords.valuesOf(condition.attribute)}
          values={condition.values}
          onChange={values => onChange({ ...condition, values })}
          isPattern={choice === 'regex'}
          isDisabled={isReadOnly}
          error={valuesProblem}
        />
      )}
      {isReadOnly ? null : (
        <IconButton label={ruleWords.removeCondition(condition)} onPress={onRemove}>
          <Trash2 size={16} aria-hidden />
        </IconButton>
      )}
    </fieldset>
  );
}
