import { Eye, EyeOff } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { FieldError } from 'react-aria-components/FieldError';
import { Group } from 'react-aria-components/Group';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { Text } from 'react-aria-components/Text';
import {
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
} from 'react-aria-components/TextField';
import { t } from '../messages/open';
import styles from './Field.module.css';

export interface TextFieldProps extends Omit<AriaTextFieldProps, 'children' | 'className' | 'style'> {
  label: string;
  description?: ReactNode;
  placeholder?: string;
}

function Parts({ description }: { description: ReactNode }) {
  return (
    <>
      {description ? (
        <Text slot="description" className={styles.description}>
          {description}
        </Text>
      ) : null}
      <FieldError className={styles.error} />
    </>
  );
}

export function TextField({ label, description, placeholder, ...rest }: TextFieldProps) {
  return (
    <AriaTextField {...rest} className={styles.field}>
      <Label className={styles.label}>{label}</Label>
      <Group className={styles.box}>
        <Input className={styles.input} {...(placeholder === undefined ? {} : { placeholder })} />
      </Group>
      <Parts description={description} />
    </AriaTextField>
  );
}

/** A password can be shown, pasted and filled in by a password manager. */
export function PasswordField({ label, description, ...rest }: TextFieldProps) {
  const [isShown, setShown] = useState(false);
  return (
    <AriaTextField {...rest} type={isShown ? 'text' : 'password'} className={styles.field}>
      <Label className={styles.label}>{label}</Label>
      <Group className={styles.box}>
        <Input className={styles.input} autoCapitalize="none" spellCheck={false} />
        <Button
          className={styles.inside}
          aria-label={isShown ? t.field.hidePassword() : t.field.showPassword()}
          onPress={() => setShown(!isShown)}
        >
          {isShown ? <EyeOff size={16} aria-hidden /> : <Eye size={16} aria-hidden />}
        </Button>
      </Group>
      <Parts description={description} />
    </AriaTextField>
  );
}

/** A code of six digits in one field: pasting fills it, and what is not a digit is dropped. */
export function CodeField({ label, description, onChange, ...rest }: TextFieldProps) {
  return (
    <AriaTextField
      {...rest}
      onChange={text => onChange?.(text.replace(/\D/g, '').slice(0, 6))}
      inputMode="numeric"
      autoComplete="one-time-code"
      className={styles.field}
    >
      <Label className={styles.label}>{label}</Label>
      <Group className={styles.box}>
        <Input className={`${styles.input} ${styles.code}`} />
      </Group>
      <Parts description={description} />
    </AriaTextField>
  );
}
