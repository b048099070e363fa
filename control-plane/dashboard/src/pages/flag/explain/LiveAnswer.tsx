import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { draftOf, useDraft } from '../../../flagState/draft';
import { useMe } from '../../../session/me';
import type { TabProps } from '../tabProps';
import type { Context } from './context';
import { decidingOf } from './deciding';
import styles from './Explain.module.css';
import { explainWords } from './messages';
import { type Answer, subjectsOf } from './queries';
import { currentContext } from './useContextEditor';
import { useExplanation } from './useExplanation';

/** In one line while a draft is edited: its effect on the last explained context. */
export default function LiveAnswer(where: TabProps) {
  const user = useMe().user.id;
  const [context] = useState(() => currentContext(user));
  return context === null ? null : <Line {...where} context={context} />;
}

function Line({ project, flag, environment, context }: TabProps & { context: Context }) {
  const { draft, stored } = useDraft();
  const { answers, refusal } = useExplanation({
    projectId: project.id,
    envId: environment.id,
    flagKey: flag.key,
    context,
    subjects: subjectsOf(draftOf(stored.state), draft, null),
  });
  const [before, after] = answers ?? [];
  if (refusal !== null || !before?.outcome.ok || !after?.outcome.ok) return null;
  const { value: from } = before.outcome.data.result;
  const { value: to } = after.outcome.data.result;
  const isSame = JSON.stringify(from) === JSON.stringify(to);
  return (
    <p className={styles.live}>
      <span className="soft">{explainWords.liveFor(context)}</span>
      <strong className={styles.liveValue}>
        {isSame ? explainWords.liveSame(to) : explainWords.live(from, to)}
      </strong>
      <span className="soft small">{why(after)}</span>
      <Link
        from="/p/$project/flags/$key"
        to="."
        search={search => ({ ...search, tab: 'explain' as const })}
        replace
        resetScroll={false}
      >
        {explainWords.liveWhy()}
      </Link>
    </p>
  );
}

function why({ outcome, state }: Answer): string {
  if (!outcome.ok) return '';
  const { result, steps } = outcome.data;
  return explainWords.deciding(
    decidingOf(outcome.data, state?.rules ?? []),
    result.reason,
    steps.at(-1)?.detail ?? '',
  );
}
