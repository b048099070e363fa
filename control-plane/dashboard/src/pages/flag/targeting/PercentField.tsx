import { EditField } from '../../../parts/Fields';
import { ruleWords } from './messages';
import { readPercent, typedPercent } from './percent';
import { useTyped } from './useTyped';

interface PercentFieldProps {
  field: string;
  label: string;
  isLabelHidden?: boolean;
  description?: string;
  isDisabled?: boolean;
  error?: string | undefined;
  /** Basis points. */
  value: number;
  onChange: (points: number) => void;
}

export function PercentField({
  field,
  label,
  isLabelHidden = false,
  description,
  isDisabled = false,
  error,
  value,
  onChange,
}: PercentFieldProps) {
  const { isWrong, ...typed } = useTyped({
    field,
    shown: typedPercent(value),
    read: text => {
      const points = readPercent(text);
      return points === null ? { ok: false } : { ok: true, value: points };
    },
    onValue: onChange,
  });
  return (
    <EditField
      {...typed}
      label={label}
      isLabelHidden={isLabelHidden}
      description={description}
      unit={ruleWords.percentSign()}
      inputMode="decimal"
      isDisabled={isDisabled}
      error={isWrong ? ruleWords.notPercent() : error}
    />
  );
}
