import { useQuery } from '@tanstack/react-query';
import type { Environment } from '../../../api/model';
import { sum } from '../../../charts/series';
import { insights } from '../../../insights/messages';
import { type Scope, seriesQuery } from '../../../insights/queries';
import { timelineOf } from '../../../insights/report';
import { isLongAgo, lastEvaluatedQuery } from '../../../insights/usage';
import { useNow } from '../../../ui/useNow';

interface StillUsedProps {
  scope: Scope & { flagKey: string | undefined };
  environment: Environment;
  /** Whether the role may read what was counted. */
  mayRead: boolean;
}

/** The answer in a sentence, before any chart. */
export function StillUsed({ scope, environment, mayRead }: StillUsedProps) {
  const last = useQuery(lastEvaluatedQuery(scope.projectId, scope.flagKey ?? '')).data;
  const month = useQuery({ ...seriesQuery(scope, 'month', 'value'), enabled: mayRead }).data;
  const now = useNow(30_000);
  if (last === undefined) return null;
  const lines =
    month === undefined
      ? null
      : timelineOf(month.reports, 'value', month.span, {
          of: ({ value, value_digest: digest }) =>
            digest === null ? JSON.stringify(value) : insights.longValue(digest),
          others: insights.others,
        }).lines;
  const [only] = lines ?? [];
  return (
    <section className="stack close" aria-labelledby="still-used">
      <h2 id="still-used">{insights.usedTitle()}</h2>
      <p>
        {last === null
          ? insights.neverUsed()
          : isLongAgo(last, now)
            ? insights.unused(last, now)
            : insights.used(last, now)}{' '}
        {lines === null
          ? ''
          : insights.usedHere(sum(lines.map(({ counts }) => sum(counts))), environment.name)}{' '}
        {lines?.length === 1 && only !== undefined ? insights.oneValue(only.label) : ''}
      </p>
      <p className="soft small">{insights.clientNote()}</p>
    </section>
  );
}
