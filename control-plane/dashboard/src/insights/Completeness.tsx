import { useQuery } from '@tanstack/react-query';
import { useNow } from '../ui/useNow';
import styles from './Insights.module.css';
import { insights } from './messages';
import { awayQuery, counterQuery, type Scope } from './queries';
import type { Report } from './report';

/** The counter beside the chart, what is summed up, and edges whose counts are still to come. */
export function Completeness({ scope, reports }: { scope: Scope; reports: readonly Report[] }) {
  const counter = useQuery(counterQuery(scope)).data;
  const edges = useQuery(awayQuery).data;
  const now = useNow(30_000);
  const left = reports.reduce(
    (all, { left_out: { series, evaluations } }) => ({
      series: all.series + series,
      evaluations: all.evaluations + evaluations,
    }),
    { series: 0, evaluations: 0 },
  );
  const seen = edges?.away.map(({ last_seen_at }) => last_seen_at).filter(at => at !== null) ?? [];
  return (
    <section className={styles.complete} aria-label={insights.details()}>
      {counter === undefined ? null : <p>{insights.counter(counter.total, counter.since)}</p>}
      {left.series === 0 ? null : <p>{insights.summedUp(left.series, left.evaluations)}</p>}
      {edges === undefined || edges.connected === 0 ? null : <p>{insights.fresh(edges.connected)}</p>}
      {edges === undefined || edges.away.length === 0 ? null : (
        <p>
          {insights.away(
            edges.away.map(({ name }) => name),
            seen.sort().at(-1) ?? null,
            now,
          )}{' '}
          {insights.drops()}
        </p>
      )}
    </section>
  );
}
