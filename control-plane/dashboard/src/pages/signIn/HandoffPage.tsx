import { Link, useRouter } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { open, outcome } from '../../api/client';
import type { Refusal } from '../../api/refusal';
import { t } from '../../messages/open';
import { begin } from '../../session/session';
import { Button, buttonClass, Spinner } from '../../ui/Button';
import { Banner } from '../../ui/Feedback';
import { refusalText } from '../../ui/refusalText';
import { signIn } from './messages';
import { SignInLayout } from './SignInLayout';

/** Signs in by the one-time token in the fragment, which servers and their logs never see. */
export function HandoffPage() {
  const router = useRouter();
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [token] = useState(takeToken);

  const enter = useCallback(async () => {
    setRefusal(null);
    const refused = await exchange(token);
    if (refused === null) router.history.replace('/');
    else setRefusal(refused);
  }, [token, router]);
  useEffect(() => void enter(), [enter]);

  if (refusal === null) {
    return (
      <SignInLayout title={signIn.handoff.title()}>
        <p className="row" role="status">
          <Spinner /> {signIn.handoff.text()}
        </p>
      </SignInLayout>
    );
  }
  const isSpent = refusal.kind === 'unauthenticated' || refusal.kind === 'invalid';
  return (
    <SignInLayout title={isSpent ? signIn.handoff.failedTitle() : signIn.handoff.faultTitle()}>
      <Banner
        tone="bad"
        actions={isSpent ? null : <Button onPress={() => void enter()}>{t.common.retry()}</Button>}
      >
        {isSpent ? signIn.handoff.failed() : refusalText(refusal)}
      </Banner>
      <Link to="/login" className={buttonClass('primary', true)}>
        {signIn.handoff.toLogin()}
      </Link>
    </SignInLayout>
  );
}

/** Takes the token out of the address at once, so that neither history nor a shared screen keeps it. */
function takeToken(): string {
  const token = location.hash.slice(1);
  history.replaceState(history.state, '', location.pathname);
  return token;
}

async function exchange(token: string): Promise<Refusal | null> {
  const answer = await outcome(open.POST('/v1/auth/token-exchange', { body: { token } }));
  return answer.ok ? begin(answer.data.tokens.refresh_token) : answer.refusal;
}
