import { Check, Circle } from 'lucide-react';
import { useState } from 'react';
import { PasswordField } from '../../ui/Field';
import { passwords } from './messages';
import styles from './NewPassword.module.css';
import { isMet, PASSWORD_RULES } from './password';

interface NewPasswordFieldProps {
  name: string;
  label: string;
}

/** A new password, with the rules marked as they are met. */
export function NewPasswordField({ name, label }: NewPasswordFieldProps) {
  const [password, setPassword] = useState('');
  return (
    <div>
      <PasswordField
        name={name}
        label={label}
        isRequired
        autoComplete="new-password"
        value={password}
        onChange={setPassword}
      />
      <ul className={styles.rules} aria-label={passwords.rules()}>
        {PASSWORD_RULES.map(rule => {
          const met = isMet(rule, password);
          return (
            <li key={rule} className={met ? styles.met : undefined}>
              {met ? <Check size={13} aria-hidden /> : <Circle size={13} aria-hidden />}
              {passwords.rule(rule)}{' '}
              <span className="hidden">{met ? passwords.ruleMet() : passwords.ruleOpen()}</span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
