import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { usePolling } from '../../../frame/Live';
import { explainWords } from './messages';
import { type Answer, explainQuery, type Question } from './queries';

/** Typing pauses this long before the service is asked. */
const PAUSE_MS = 250;

/**
 * Explains a context and a draft that are being typed. One is under way at most, and the next is the latest; the
 * last answer stays until there is another, also while the service refuses the context.
 */
export function useExplanation(question: Question) {
  const [asked, setAsked] = useState(question);
  const answer = useQuery({
    ...explainQuery(asked),
    placeholderData: keepPreviousData,
    refetchInterval: usePolling(),
  });
  const text = JSON.stringify(question);
  const isAsked = text === JSON.stringify(asked);

  useEffect(() => {
    if (isAsked || answer.isFetching) return;
    const timer = setTimeout(() => setAsked(JSON.parse(text)), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, isAsked, answer.isFetching]);

  const refusal = refusalOfContext(answer.data);
  const last = useRef(answer.data);
  if (refusal === null) last.current = answer.data;
  return {
    answers: last.current,
    /** The service's message about the context. */
    refusal,
    retry: () => void answer.refetch(),
    isWorking: answer.isFetching || !isAsked,
  };
}

/** A refusal of the context concerns all answers, and is shown once. */
function refusalOfContext(answers: readonly Answer[] | undefined): string | null {
  for (const { outcome } of answers ?? []) {
    if (!outcome.ok && outcome.refusal.kind === 'invalid' && outcome.refusal.message.startsWith('context')) {
      return explainWords.refused(outcome.refusal.message);
    }
  }
  return null;
}
