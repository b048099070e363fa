import { Link } from '@tanstack/react-router';
import { CircleCheck, TriangleAlert } from 'lucide-react';
import type { Environments } from './environmentNames';
import styles from './Fleet.module.css';
import { fleetPage as words } from './messages';
import { endsSoon, isTroubled, type Row, summaryOf, viewOf } from './rows';

/** Edges named above everything else. */
const NAMED = 5;

/** Four figures, and the edges that someone should look at. */
export function Summary({
  rows,
  environments,
  now,
}: {
  rows: readonly Row[];
  environments: Environments;
  now: number;
}) {
  const { connected, total, behind, slowest, evaluations } = summaryOf(rows);
  return (
    <section aria-label={words.summary()} className="stack close">
      <dl className={styles.figures}>
        <Figure
          term={words.connected()}
          value={words.ofEnrolled(connected, total)}
          isBad={connected < total}
        />
        <Figure term={words.environmentsBehind()} value={words.count(behind)} isBad={behind > 0} />
        <Figure
          term={words.slowest()}
          value={slowest === null ? words.none() : words.slowestOf(slowest.ms, slowest.name)}
        />
        <Figure term={words.evaluations()} value={words.count(evaluations)} />
      </dl>
      <Attention rows={rows} environments={environments} now={now} />
    </section>
  );
}

function Figure({ term, value, isBad = false }: { term: string; value: string; isBad?: boolean }) {
  return (
    <div className={styles.figure}>
      <dt>{term}</dt>
      <dd data-bad={isBad}>{value}</dd>
    </div>
  );
}

function Attention({
  rows,
  environments,
  now,
}: {
  rows: readonly Row[];
  environments: Environments;
  now: number;
}) {
  const troubled = viewOf(rows.filter(isTroubled), {});
  if (troubled.length === 0) {
    return (
      <p className={styles.well} role="status">
        <CircleCheck size={16} aria-hidden />
        {words.allWell()}
      </p>
    );
  }
  const more = troubled.length - NAMED;
  return (
    <section className={styles.attention} aria-label={words.attention(troubled.length)} aria-live="polite">
      <h2>
        <TriangleAlert size={16} aria-hidden />
        {words.attention(troubled.length)}
      </h2>
      <ul>
        {troubled.slice(0, NAMED).map(row => (
          <li key={row.name}>
            <Link to="/fleet/$edge" params={{ edge: row.name }}>
              {trouble(row, environments, now)}
            </Link>
          </li>
        ))}
        {more > 0 ? <li className="soft">{words.more(more)}</li> : null}
      </ul>
    </section>
  );
}

function trouble(row: Row, environments: Environments, now: number): string {
  const { edge, lag, state } = row;
  if (state === 'live' && endsSoon(row) && edge.certificate_expires_at !== null) {
    return words.endsText(row.name, edge.certificate_expires_at);
  }
  const first = state === 'away' ? words.away(row.name, edge.last_seen_at, now) : words.late(row.name);
  const most = [...(lag ?? [])].sort((a, b) => b.versions - a.versions)[0];
  const second =
    most === undefined
      ? lag === null
        ? words.lagUnknown()
        : words.upToDate()
      : words.lagIn(most.versions, environments.label(most.envId), most.since, now);
  return words.both(first, second);
}
