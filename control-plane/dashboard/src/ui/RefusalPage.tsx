import { useState } from 'react';
import type { Refusal } from '../api/refusal';
import { t } from '../messages/open';
import { useSecondsLeft } from '../session/countdown';
import { Ask } from '../team/Ask';
import { PlanCard } from '../team/PlanCard';
import { Button, buttonClass } from './Button';
import { Banner } from './Feedback';
import { refusalText } from './refusalText';
import { RequestId } from './ServerForm';

interface RefusalPageProps {
  refusal: Refusal;
  onRetry: () => void;
}

/** In place of a page that could not be loaded: what happened, and the way out. */
export function RefusalPage({ refusal, onRetry }: RefusalPageProps) {
  const [until] = useState(() =>
    'seconds' in refusal && refusal.seconds !== null ? Date.now() + refusal.seconds * 1000 : null,
  );
  const left = useSecondsLeft(until);
  if (refusal.kind === 'plan') return <PlanCard isPage message={refusal.message} />;
  const isFinal = refusal.kind === 'absent' || refusal.kind === 'forbidden';
  return (
    <div className="stack">
      <h1>{titleOf(refusal)}</h1>
      <Banner
        tone={isFinal ? 'warn' : 'bad'}
        actions={
          isFinal ? (
            <a href="/" className={buttonClass()}>
              {t.refusal.toStart()}
            </a>
          ) : (
            <Button onPress={onRetry} isDisabled={left > 0}>
              {t.common.retry()}
            </Button>
          )
        }
      >
        <p>{refusal.kind === 'absent' ? t.refusal.absent() : refusalText(refusal)}</p>
        {refusal.kind === 'forbidden' ? <Ask who="admins" /> : null}
        {left > 0 ? <p role="timer">{t.refusal.tryIn(left)}</p> : null}
        <RequestId refusal={refusal} />
      </Banner>
    </div>
  );
}

function titleOf(refusal: Refusal): string {
  switch (refusal.kind) {
    case 'forbidden':
      return t.refusal.forbiddenTitle();
    case 'absent':
      return t.refusal.absentTitle();
    default:
      return t.refusal.faultTitle();
  }
}
