import { PasswordField } from '../../ui/Field';
import { Switch } from '../../ui/Switch';
import type { Edited } from './fields';
import { form as words } from './messages';

interface SecretFieldProps {
  isStored: boolean;
  fields: Edited;
  onChange: (fields: Edited) => void;
}

/** The client secret. A stored one is never shown; it stays unless another is typed, or it is given up. */
export function SecretField({ isStored, fields, onChange }: SecretFieldProps) {
  const { secret, forgetsSecret } = fields;
  const text = isStored ? words.secretStored() : words.secretText();
  return (
    <>
      <PasswordField
        name="client_secret"
        label={words.secret()}
        description={forgetsSecret ? words.secretForgotten() : text}
        isDisabled={forgetsSecret}
        // Browsers would fill the password of the account in.
        autoComplete="new-password"
        value={secret}
        onChange={typed => onChange({ ...fields, secret: typed })}
      />
      {isStored ? (
        <div>
          <Switch
            label={words.forget()}
            isOn={forgetsSecret}
            onChange={isOn => onChange({ ...fields, secret: '', forgetsSecret: isOn })}
          />
        </div>
      ) : null}
    </>
  );
}
