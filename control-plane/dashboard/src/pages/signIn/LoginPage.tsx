import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import type { Refusal } from '../../api/refusal';
import { ownPath } from '../../session/returnPath';
import { begin } from '../../session/session';
import { signingIn } from '../../signIn/messages';
import { SignInForm, type Step } from '../../signIn/SignInForm';
import { Banner } from '../../ui/Feedback';
import { signIn } from './messages';
import { ProviderReturn } from './ProviderReturn';
import { ProviderSignIn } from './ProviderSignIn';
import { SignInLayout } from './SignInLayout';

const route = getRouteApi('/login');

/** Also where providers of organizations send people back to. */
export function LoginPage() {
  const { state, code, iss } = route.useSearch();
  const [returned] = useState(state === undefined ? null : { state, code, iss });
  return returned === null ? <SignInPage /> : <ProviderReturn {...returned} />;
}

function SignInPage() {
  const { next, email, verified, reset, ended, deleted } = route.useSearch();
  const router = useRouter();
  const [step, setStep] = useState<Step>('password');
  const isCode = step !== 'password';

  async function enter(refreshToken: string): Promise<Refusal | null> {
    const refused = await begin(refreshToken);
    if (refused === null) router.history.push(ownPath(next === undefined ? next : next + location.hash));
    return refused;
  }

  return (
    <SignInLayout
      title={isCode ? signIn.login.mfaTitle() : signIn.login.title()}
      lead={isCode ? (step === 'app' ? signingIn.mfaText() : signingIn.backupText()) : undefined}
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
      {ended && !isCode ? <Banner tone="note">{signIn.login.ended()}</Banner> : null}
      {deleted && !isCode ? <Banner tone="note">{signIn.login.deleted()}</Banner> : null}
      <SignInForm
        label={signIn.login.title()}
        email={email}
        step={step}
        onStep={setStep}
        onSignedIn={enter}
        below={typed => (
          <>
            <Link to="/forgot-password" search={typed === '' ? {} : { email: typed }}>
              {signIn.login.forgot()}
            </Link>
            <ProviderSignIn email={typed} next={next === undefined ? next : next + location.hash} />
          </>
        )}
      />
    </SignInLayout>
  );
}
