import type { CsvCell } from '../../parts/csv';
import { fleetPage as words } from './messages';
import type { Row } from './rows';

export function csvHead(): string[] {
  return [
    words.name(),
    words.kindTitle(),
    words.region(),
    words.stateFilter(),
    words.version(),
    words.versionsBehind(),
    words.behindWhere(),
    words.rttMs(),
    words.rate(),
    words.since(),
    words.lastSeenTitle(),
    words.build(),
    words.certificate(),
    words.via(),
  ];
}

/** The edge as the table shows it; times as the service gives them. */
export function csvRow(
  { name, edge, state, lag, version }: Row,
  label: (envId: string) => string,
): CsvCell[] {
  const versions = lag === null ? null : lag.reduce((most, one) => Math.max(most, one.versions), 0);
  return [
    name,
    words.kind(edge.kind),
    edge.region,
    words.state(state),
    version,
    versions,
    (lag ?? []).map(({ envId }) => label(envId)).join('; '),
    edge.rtt_ms,
    edge.evaluations_per_minute ?? null,
    edge.connected_since,
    edge.last_seen_at,
    edge.build,
    edge.certificate_expires_at,
    edge.via ?? null,
  ];
}
