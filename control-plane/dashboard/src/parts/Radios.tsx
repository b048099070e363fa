import type { ReactNode } from 'react';
import { Label } from 'react-aria-components/Label';
import { Radio, RadioGroup } from 'react-aria-components/RadioGroup';
import styles from './Radios.module.css';

interface RadiosProps<Id extends string> {
  label: string;
  choices: readonly { id: Id; label: string; hint?: string; mark?: ReactNode }[];
  /** `null` while none of them is chosen. */
  value: Id | null;
  onChange: (id: Id) => void;
  isDisabled?: boolean;
  /** Side by side, for short names. */
  isRow?: boolean;
}

/** A choice of a few, all in sight. */
export function Radios<Id extends string>({
  label,
  choices,
  value,
  onChange,
  isDisabled = false,
  isRow = false,
}: RadiosProps<Id>) {
  return (
    <RadioGroup
      className={styles.group}
      value={value}
      onChange={id => onChange(id as Id)}
      isDisabled={isDisabled}
    >
      <Label className={styles.label}>{label}</Label>
      <div className={`${styles.choices} ${isRow ? styles.row : ''}`}>
        {choices.map(choice => (
          <Radio key={choice.id} value={choice.id} className={styles.choice}>
            {choice.mark === undefined ? null : <span className={styles.mark}>{choice.mark}</span>}
            <span className={styles.text}>
              <span>{choice.label}</span>
              {choice.hint === undefined ? null : <span className={styles.hint}>{choice.hint}</span>}
            </span>
          </Radio>
        ))}
      </div>
    </RadioGroup>
  );
}
