import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { open, outcome } from '../../api/client';
import type { Refusal } from '../../api/refusal';
import { t } from '../../messages/open';
import { ownPath } from '../../session/returnPath';
import { begin } from '../../session/session';
import { Button } from '../../ui/Button';
import { Banner } from '../../ui/Feedback';
import { CodeField, PasswordField, TextField } from '../../ui/Field';
import { ServerForm } from '../../ui/ServerForm';
import { signIn } from './messages';
import { SignInLayout } from './SignInLayout';

const route = getRouteApi('/login');

type Step = 'password' | 'app' | 'backup';

/** The password first, then the code of a second factor; typed fields are kept. */
export function LoginPage() {
  const { next, email, verified, reset } = route.useSearch();
  const router = useRouter();
  const [step, setStep] = useState<Step>('password');
  const [credentials, setCredentials] = useState({ email: email ?? '', password: '' });

  async function submit(fields: Record<string, string>): Promise<Refusal | null> {
    const { mfa_code, ...given } = { mfa_code: '', ...credentials, ...fields };
    const body = step === 'password' ? given : { ...given, mfa_code: mfa_code.trim() };
    const answer = await outcome(open.POST('/v1/auth/login', { body }));
    if (answer.ok) {
      const refused = await begin(answer.data.tokens.refresh_token);
      if (refused === null) router.history.push(ownPath(next === undefined ? next : next + location.hash));
      return refused;
    }
    if (isCodeRequired(answer.refusal)) {
      setStep('app');
      return null;
    }
    return answer.refusal;
  }

  function explain(refusal: Refusal) {
    if (refusal.kind !== 'unauthenticated') return null;
    if (step === 'password') return { text: signIn.login.wrong() };
    return refusal.message === 'invalid mfa code'
      ? { field: 'mfa_code', text: signIn.login.wrongCode() }
      : { text: signIn.login.wrong() };
  }

  const isCode = step !== 'password';
  return (
    <SignInLayout
      title={isCode ? signIn.login.mfaTitle() : signIn.login.title()}
      lead={isCode ? (step === 'app' ? signIn.login.mfaText() : signIn.login.backupText()) : undefined}
      under={
        isCode ? undefined : (
          <>
            {signIn.login.newHere()} <Link to="/signup">{signIn.login.signUp()}</Link>
          </>
        )
      }
    >
      {verified && !isCode ? <Banner tone="good">{signIn.login.verified()}</Banner> : null}
      {reset && !isCode ? <Banner tone="good">{signIn.login.reset()}</Banner> : null}
      <ServerForm
        key={isCode ? 'code' : 'password'}
        label={signIn.login.title()}
        onSubmit={submit}
        explain={explain}
      >
        {({ isPending, isWaiting }) => (
          <>
            {isCode ? null : (
              <>
                <TextField
                  name="email"
                  type="email"
                  label={signIn.form.email()}
                  isRequired
                  autoComplete="username"
                  autoFocus={email === undefined}
                  value={credentials.email}
                  onChange={text => setCredentials({ ...credentials, email: text })}
                />
                <PasswordField
                  name="password"
                  label={signIn.form.password()}
                  isRequired
                  autoComplete="current-password"
                  autoFocus={email !== undefined}
                  value={credentials.password}
                  onChange={text => setCredentials({ ...credentials, password: text })}
                />
              </>
            )}
            {step === 'app' ? (
              <CodeField key="app" name="mfa_code" label={signIn.form.code()} isRequired autoFocus />
            ) : null}
            {step === 'backup' ? (
              <TextField
                key="backup"
                name="mfa_code"
                label={signIn.login.backupCode()}
                isRequired
                autoFocus
                autoComplete="off"
              />
            ) : null}
            <Button type="submit" look="primary" wide isPending={isPending} isDisabled={isWaiting}>
              {signIn.login.submit()}
            </Button>
            {isCode ? (
              <div className="row apart">
                <Button look="quiet" onPress={() => setStep(step === 'app' ? 'backup' : 'app')}>
                  {step === 'app' ? signIn.login.useBackup() : signIn.login.useApp()}
                </Button>
                <Button look="quiet" onPress={() => setStep('password')}>
                  {t.common.back()}
                </Button>
              </div>
            ) : (
              <Link
                to="/forgot-password"
                search={credentials.email === '' ? {} : { email: credentials.email }}
              >
                {signIn.login.forgot()}
              </Link>
            )}
          </>
        )}
      </ServerForm>
    </SignInLayout>
  );
}

function isCodeRequired(refusal: Refusal): boolean {
  return refusal.kind === 'forbidden' && refusal.message === 'mfa_required';
}
