import type { FlagType } from '../../../api/model';
import { useDraft } from '../../../flagState/draft';
import { readValue, typedValue } from '../../../flagState/values';
import { EditField } from '../../../parts/Fields';
import { Select } from '../../../ui/Select';
import { ruleWords } from './messages';
import styles from './Rules.module.css';
import { useTyped } from './useTyped';

interface ValueFieldProps {
  field: string;
  label: string;
  type: FlagType;
  /** `undefined` when it is not set. */
  value: unknown;
  /** The value that is served when it is not set; absent where it has to be set. */
  unset?: { value: unknown };
  /** The first value of the field when it is set again. */
  first: unknown;
  mayBeNull: boolean;
  isDisabled?: boolean;
  error?: string | undefined;
  onChange: (value: unknown) => void;
}

const UNSET = 'unset';
const OWN = 'own';

/** A value of the flag's type, or none where that means something. */
export function ValueField(props: ValueFieldProps) {
  const { label, type, value, unset, first, isDisabled = false, onChange } = props;
  const { setText } = useDraft();
  const choose = (next: unknown) => {
    setText(props.field, null);
    onChange(next);
  };
  const choices = unset === undefined ? [] : [{ id: UNSET, label: ruleWords.notSetMeans(unset.value) }];
  if (type === 'boolean') {
    return (
      <Select
        label={label}
        isDisabled={isDisabled}
        choices={[
          { id: 'true', label: ruleWords.isTrue() },
          { id: 'false', label: ruleWords.isFalse() },
          ...choices,
        ]}
        value={typeof value === 'boolean' ? String(value) : UNSET}
        onChange={id => choose(id === UNSET ? undefined : id === 'true')}
      />
    );
  }
  if (unset === undefined) return <OwnValue {...props} />;
  return (
    <div className={styles.fields}>
      <Select
        label={label}
        isDisabled={isDisabled}
        choices={[{ id: OWN, label: ruleWords.aValue() }, ...choices]}
        value={value === undefined ? UNSET : OWN}
        onChange={id => choose(id === UNSET ? undefined : first)}
      />
      {value === undefined ? null : <OwnValue {...props} />}
    </div>
  );
}

function OwnValue({
  field,
  label,
  type,
  unset,
  value,
  mayBeNull,
  isDisabled = false,
  error,
  onChange,
}: ValueFieldProps) {
  const { isWrong, ...typed } = useTyped({
    field,
    shown: typedValue(type, value),
    read: text => readValue(type, text, mayBeNull),
    onValue: onChange,
  });
  const wrong = readValue(type, typed.value, mayBeNull);
  const isCode = type === 'json' || type === 'ab';
  return (
    <EditField
      {...typed}
      label={unset === undefined ? label : ruleWords.ofType(type)}
      isCode={isCode}
      isLong={type !== 'number'}
      inputMode={type === 'number' ? 'decimal' : 'text'}
      isDisabled={isDisabled}
      error={isWrong && !wrong.ok ? ruleWords.wrong(wrong.why) : error}
    />
  );
}
