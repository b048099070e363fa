/** Fields of the editor: compact, with a unit behind or several lines, and with a sentence about what is wrong. */
import type { ReactNode } from 'react';
import { FieldError } from 'react-aria-components/FieldError';
import { Group } from 'react-aria-components/Group';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { Text } from 'react-aria-components/Text';
import { TextArea } from 'react-aria-components/TextArea';
import { TextField as AriaTextField } from 'react-aria-components/TextField';
import field from '../ui/Field.module.css';
import styles from './Fields.module.css';

interface EditFieldProps {
  label: string;
  isLabelHidden?: boolean;
  description?: ReactNode;
  placeholder?: string;
  /** What stands behind the text, as `%`. */
  unit?: string;
  isCode?: boolean;
  isLong?: boolean;
  isDisabled?: boolean;
  autoFocus?: boolean;
  inputMode?: 'text' | 'decimal';
  type?: 'text' | 'datetime-local';
  error?: string | undefined;
  value: string;
  onChange: (text: string) => void;
  onBlur?: () => void;
}

export function EditField({
  label,
  isLabelHidden = false,
  description,
  placeholder,
  unit,
  isCode = false,
  isLong = false,
  error,
  ...rest
}: EditFieldProps) {
  const input = `${field.input} ${isCode ? styles.code : ''}`;
  const props = placeholder === undefined ? {} : { placeholder };
  return (
    <AriaTextField
      {...rest}
      className={field.field}
      isInvalid={error !== undefined}
      validationBehavior="aria"
      autoComplete="off"
      {...(isLabelHidden ? { 'aria-label': label } : {})}
    >
      {isLabelHidden ? null : <Label className={field.label}>{label}</Label>}
      <Group className={field.box}>
        {isLong ? (
          <TextArea {...props} className={`${input} ${styles.long}`} rows={1} spellCheck={!isCode} />
        ) : (
          <Input {...props} className={input} spellCheck={!isCode} />
        )}
        {unit === undefined ? null : (
          <span className={styles.unit} aria-hidden>
            {unit}
          </span>
        )}
      </Group>
      {description ? (
        <Text slot="description" className={field.description}>
          {description}
        </Text>
      ) : null}
      <FieldError className={field.error}>{error}</FieldError>
    </AriaTextField>
  );
}
