import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { t } from '../messages/open';
import { states } from '../messages/states';
import { useSecondsLeft } from '../session/countdown';
import { Button } from '../ui/Button';
import { Banner } from '../ui/Feedback';
import { useOnline } from '../ui/useOnline';
import { delayOf, type Trouble } from './trouble';

/** Says that what is shown may be old since the service does not answer, and goes on asking. */
export function ServiceBar({ trouble }: { trouble: Trouble | null }) {
  const isOnline = useOnline();
  if (!isOnline) return <Banner tone="warn">{states.offline()}</Banner>;
  return trouble === null ? null : <Retrying trouble={trouble} />;
}

function Retrying({ trouble }: { trouble: Trouble }) {
  const client = useQueryClient();
  const [attempt, setAttempt] = useState(0);
  const [isAsking, setAsking] = useState(false);
  // Each failure is a new value, and so a new wait.
  const until = useMemo(() => Date.now() + delayOf(trouble, attempt) * 1000, [trouble, attempt]);
  const left = useSecondsLeft(until);

  async function ask() {
    setAsking(true);
    await client.refetchQueries({ type: 'active', predicate: ({ state }) => state.error !== null });
    setAsking(false);
    setAttempt(before => before + 1);
  }

  useEffect(() => {
    if (Date.now() >= until && left === 0 && !isAsking) void ask();
  });

  return (
    <Banner
      tone="warn"
      actions={
        <Button isPending={isAsking} onPress={ask}>
          {t.common.retry()}
        </Button>
      }
    >
      <p>{inWords(trouble)}</p>
      {trouble.kind === 'fault' && trouble.requestId !== null ? (
        <p className="small">
          <code>{states.request(trouble.requestId)}</code>
        </p>
      ) : null}
      <p role="timer" className="small">
        {isAsking || left === 0 ? states.retrying() : states.retryIn(left)}
      </p>
    </Banner>
  );
}

function inWords(trouble: Trouble): string {
  switch (trouble.kind) {
    case 'offline':
      return states.unreachable();
    case 'fault':
      return states.fault(trouble.status);
    case 'wait':
      return states.wait(trouble.message);
  }
}
