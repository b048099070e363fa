import { Check, Circle } from 'lucide-react';
import { useState } from 'react';
import { PasswordField } from '../../ui/Field';
import { passwords } from './messages';
import styles from './NewPassword.module.css';
import { isMet, PASSWORD_RULES } from './password';
import { personalParts, strengthOf } from './strength';

interface NewPasswordFieldProps {
  name: string;
  label: string;
  /** Names and addresses of the user, which are easy to guess. */
  about?: readonly string[];
}

/** A new password, with the rules marked as they are met, and how strong it is. */
export function NewPasswordField({ name, label, about = [] }: NewPasswordFieldProps) {
  const [password, setPassword] = useState('');
  const strength = strengthOf(password, about);
  const isPersonal = personalParts(password, about).length > 0;
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
      <div className={styles.strength} aria-live="polite">
        {password === '' ? null : (
          <>
            <span className={`${styles.bar} ${styles[strength]}`} aria-hidden />
            <span>
              {passwords.strength(strength)}{' '}
              {isPersonal ? passwords.personal() : strength === 'weak' ? passwords.longer() : null}
            </span>
          </>
        )}
      </div>
    </div>
  );
}
