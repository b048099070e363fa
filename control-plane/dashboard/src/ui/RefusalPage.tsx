import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../api/refusal';
import { t } from '../messages/open';
import { useSecondsLeft } from '../session/countdown';
import { Button, buttonClass } from './Button';
import { Banner } from './Feedback';
import { Optional } from './Optional';
import { part } from './part';
import { refusalText } from './refusalText';
import { RequestId } from './ServerForm';

const PlanCard = part(async () => ({ default: (await import('../team/PlanCard')).PlanCard }));
const Ask = part(async () => ({ default: (await import('../team/Ask')).Ask }));

interface RefusalPageProps {
  refusal: Refusal;
}

/** In place of a page that could not be loaded: what happened, and the way out. */
export function RefusalPage({ refusal }: RefusalPageProps) {
  const [until] = useState(() =>
    'seconds' in refusal && refusal.seconds !== null ? Date.now() + refusal.seconds * 1000 : null,
  );
  const left = useSecondsLeft(until);
  const client = useQueryClient();
  /** Everything of the page that failed: one press brings all of it back. */
  const retry = () => {
    void client.refetchQueries(
      { type: 'active', predicate: ({ state }) => state.status === 'error' },
      { cancelRefetch: false },
    );
  };
  if (refusal.kind === 'plan') {
    return (
      <Optional>
        <PlanCard isPage message={refusal.message} />
      </Optional>
    );
  }
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
            <Button onPress={retry} isDisabled={left > 0}>
              {t.common.retry()}
            </Button>
          )
        }
      >
        <p>{refusal.kind === 'absent' ? t.refusal.absent() : refusalText(refusal)}</p>
        {refusal.kind === 'forbidden' ? (
          <Optional isSilent>
            <Ask who="admins" />
          </Optional>
        ) : null}
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
