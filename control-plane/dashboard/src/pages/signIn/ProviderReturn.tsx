import { Link, useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { open, outcome } from '../../api/client';
import type { Refusal } from '../../api/refusal';
import { ownPath } from '../../session/returnPath';
import { begin } from '../../session/session';
import { buttonClass, Spinner } from '../../ui/Button';
import { Banner } from '../../ui/Feedback';
import { refusalText } from '../../ui/refusalText';
import { takeAttempt } from './attempt';
import { signIn } from './messages';
import { SignInLayout } from './SignInLayout';

interface ProviderReturnProps {
  state: string;
  /** Absent where the provider refused. */
  code: string | undefined;
  iss: string | undefined;
}

/** Finishes a sign-in with what the provider sent back. Each works once, so it is sent once. */
export function ProviderReturn({ state, code, iss }: ProviderReturnProps) {
  const router = useRouter();
  const [failed, setFailed] = useState<string | null>(null);
  const isSent = useRef(false);

  useEffect(() => {
    if (isSent.current) return;
    isSent.current = true;
    // Neither history nor a shared screen keeps it.
    history.replaceState(history.state, '', location.pathname);
    const attempt = takeAttempt();
    if (code === undefined) return setFailed(signIn.provider.refused());
    if (attempt === null) return setFailed(signIn.provider.elsewhere());
    const body = { state, code, attempt_key: attempt.key, ...(iss === undefined ? {} : { iss }) };
    void finish(body).then(refusal => {
      if (refusal === null) router.history.push(ownPath(attempt.next));
      else setFailed(refusalText(refusal));
    });
  }, [state, code, iss, router]);

  return (
    <SignInLayout title={failed === null ? signIn.handoff.title() : signIn.handoff.faultTitle()}>
      {failed === null ? (
        <p className="row" role="status">
          <Spinner /> {signIn.handoff.text()}
        </p>
      ) : (
        <>
          <Banner tone="bad">{failed}</Banner>
          <Link to="/login" reloadDocument className={buttonClass('primary', true)}>
            {signIn.provider.toLogin()}
          </Link>
        </>
      )}
    </SignInLayout>
  );
}

interface Finish {
  state: string;
  code: string;
  attempt_key: string;
  iss?: string;
}

async function finish(body: Finish): Promise<Refusal | null> {
  const answer = await outcome(open.POST('/v1/auth/oidc/finish', { body }));
  return answer.ok ? begin(answer.data.tokens.refresh_token) : answer.refusal;
}
