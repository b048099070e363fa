import { type ReactNode, useState } from 'react';
import { open, outcome } from '../api/client';
import type { Refusal } from '../api/refusal';
import { t } from '../messages/open';
import { Button } from '../ui/Button';
import { CodeField, PasswordField, TextField } from '../ui/Field';
import { ServerForm } from '../ui/ServerForm';
import { signingIn } from './messages';

/** What is asked for: the password first, then a code of the app, or a backup code. */
export type Step = 'password' | 'app' | 'backup';

interface SignInFormProps {
  label: string;
  email: string | undefined;
  step: Step;
  onStep: (step: Step) => void;
  /** Takes the refresh token of the sign-in. */
  onSignedIn: (refreshToken: string) => Promise<Refusal | null>;
  /** Below the button, while the password is asked for. */
  below?: (email: string) => ReactNode;
}

/** The password first, then the code where one is asked for; what was typed is kept between them. */
export function SignInForm({ label, email, step, onStep, onSignedIn, below }: SignInFormProps) {
  const [credentials, setCredentials] = useState({ email: email ?? '', password: '' });
  const isCode = step !== 'password';

  async function submit(fields: Record<string, string>): Promise<Refusal | null> {
    const { mfa_code, ...given } = { mfa_code: '', ...credentials, ...fields };
    const body = isCode ? { ...given, mfa_code: mfa_code.trim() } : given;
    const answer = await outcome(open.POST('/v1/auth/login', { body }));
    if (answer.ok) return onSignedIn(answer.data.tokens.refresh_token);
    if (!isCodeRequired(answer.refusal)) return answer.refusal;
    onStep('app');
    return null;
  }

  function explain(refusal: Refusal) {
    if (refusal.kind !== 'unauthenticated') return null;
    return isCode && refusal.message === 'invalid mfa code'
      ? { field: 'mfa_code', text: signingIn.wrongCode() }
      : { text: signingIn.wrong() };
  }

  return (
    <ServerForm key={isCode ? 'code' : 'password'} label={label} onSubmit={submit} explain={explain}>
      {({ isPending, isWaiting }) => (
        <>
          {isCode ? null : (
            <>
              <TextField
                name="email"
                type="email"
                label={signingIn.email()}
                isRequired
                autoComplete="username"
                autoFocus={email === undefined}
                value={credentials.email}
                onChange={text => setCredentials({ ...credentials, email: text })}
              />
              <PasswordField
                name="password"
                label={signingIn.password()}
                isRequired
                autoComplete="current-password"
                autoFocus={email !== undefined}
                value={credentials.password}
                onChange={text => setCredentials({ ...credentials, password: text })}
              />
            </>
          )}
          {step === 'app' ? (
            <CodeField key="app" name="mfa_code" label={signingIn.code()} isRequired autoFocus />
          ) : null}
          {step === 'backup' ? (
            <TextField
              key="backup"
              name="mfa_code"
              label={signingIn.backupCode()}
              isRequired
              autoFocus
              autoComplete="off"
            />
          ) : null}
          <Button type="submit" look="primary" wide isPending={isPending} isDisabled={isWaiting}>
            {signingIn.submit()}
          </Button>
          {isCode ? (
            <div className="row apart">
              <Button look="quiet" onPress={() => onStep(step === 'app' ? 'backup' : 'app')}>
                {step === 'app' ? signingIn.useBackup() : signingIn.useApp()}
              </Button>
              <Button look="quiet" onPress={() => onStep('password')}>
                {t.common.back()}
              </Button>
            </div>
          ) : (
            below?.(credentials.email)
          )}
        </>
      )}
    </ServerForm>
  );
}

function isCodeRequired(refusal: Refusal): boolean {
  return refusal.kind === 'forbidden' && refusal.message === 'mfa_required';
}
