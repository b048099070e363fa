/** What the fleet page says about each edge: its state, how far it is behind, and in which order edges are listed. */
import type { Edge } from './queries';

export type EdgeState = 'live' | 'behind' | 'away' | 'never';

export interface Lag {
  envId: string;
  versions: number;
  since: string;
}

export interface Row {
  name: string;
  edge: Edge;
  state: EdgeState;
  /** In the chosen environment, or in all: what it does not serve. `null`: unknown. */
  lag: readonly Lag[] | null;
  /** The version that it serves in the chosen environment. */
  version: number | null;
  /** Days until its certificate ends; `null` where it has none. */
  certificateDays: number | null;
  /** Relays between it and a control plane; `null` while it is not connected. */
  level: number | null;
}

const DAY = 86_400_000;

/** An edge renews its certificate when a quarter to a third of its time is left; what is this near was not renewed. */
const SOON_DAYS = 14;

export function rowsOf(edges: readonly Edge[], envId: string | undefined, now: number): Row[] {
  const parents = new Map(edges.map(({ name, via }) => [name, via]));
  return edges.map(edge => {
    const lag = lagOf(edge, envId);
    const expires = edge.certificate_expires_at;
    return {
      name: edge.name,
      edge,
      state: stateOf(edge, lag),
      lag,
      version: edge.environments.find(({ env_id }) => env_id === envId)?.version ?? null,
      certificateDays: expires === null ? null : Math.floor((Date.parse(expires) - now) / DAY),
      level: edge.connected ? levelOf(edge.name, parents) : null,
    };
  });
}

function lagOf(edge: Edge, envId: string | undefined): Lag[] | null {
  if (edge.lag === undefined) return null;
  return edge.lag
    .filter(({ env_id }) => envId === undefined || env_id === envId)
    .map(({ env_id, versions, since }) => ({ envId: env_id, versions, since }));
}

function stateOf(edge: Edge, lag: readonly Lag[] | null): EdgeState {
  if (edge.connected) return lag !== null && lag.length > 0 ? 'behind' : 'live';
  return edge.last_seen_at === null ? 'never' : 'away';
}

function levelOf(name: string, parents: ReadonlyMap<string, string | undefined>): number {
  let level = 0;
  let parent = parents.get(name);
  while (parent !== undefined && level < 8) {
    level += 1;
    parent = parents.get(parent);
  }
  return level;
}

/** Versions that it does not serve, in the environment where it is furthest behind. */
export function mostBehind(row: Row): number {
  return (row.lag ?? []).reduce((most, { versions }) => Math.max(most, versions), 0);
}

export function endsSoon(row: Row): boolean {
  return row.certificateDays !== null && row.certificateDays < SOON_DAYS;
}

/** Whether someone should look at it. An edge that never joined is not in trouble. */
export function isTroubled(row: Row): boolean {
  return row.state === 'away' || row.state === 'behind' || endsSoon(row);
}

export const STATES = ['live', 'behind', 'away', 'never'] as const;
export const SORTS = ['trouble', 'name', 'region', 'rtt', 'rate'] as const;
export type Sort = (typeof SORTS)[number];

export interface View {
  q?: string | undefined;
  state?: EdgeState | undefined;
  sort?: Sort | undefined;
}

/** The rows that match, in order. */
export function viewOf(rows: readonly Row[], { q, state, sort = 'trouble' }: View): Row[] {
  const text = (q ?? '').trim().toLowerCase();
  const matches = rows.filter(
    row =>
      (state === undefined || row.state === state) &&
      (text === '' ||
        [row.name, row.edge.region ?? '', row.edge.via ?? '', row.edge.build ?? ''].some(part =>
          part.toLowerCase().includes(text),
        )),
  );
  return matches.sort((a, b) => ORDERS[sort](a, b) || a.name.localeCompare(b.name, 'en', { numeric: true }));
}

const RANK: Record<EdgeState, number> = { away: 0, behind: 1, never: 2, live: 3 };

const ORDERS: Record<Sort, (a: Row, b: Row) => number> = {
  trouble: (a, b) =>
    RANK[a.state] - RANK[b.state] ||
    mostBehind(b) - mostBehind(a) ||
    Number(endsSoon(b)) - Number(endsSoon(a)),
  name: () => 0,
  region: (a, b) => (a.edge.region ?? '').localeCompare(b.edge.region ?? ''),
  rtt: (a, b) => (b.edge.rtt_ms ?? -1) - (a.edge.rtt_ms ?? -1),
  rate: (a, b) => (b.edge.evaluations_per_minute ?? -1) - (a.edge.evaluations_per_minute ?? -1),
};

export interface Summary {
  connected: number;
  total: number;
  /** Environments in which some edge is behind. */
  behind: number;
  slowest: { name: string; ms: number } | null;
  evaluations: number;
}

export function summaryOf(rows: readonly Row[]): Summary {
  const behind = new Set(rows.flatMap(row => (row.lag ?? []).map(({ envId }) => envId)));
  let slowest: Summary['slowest'] = null;
  let evaluations = 0;
  for (const { edge } of rows) {
    evaluations += edge.evaluations_per_minute ?? 0;
    if (edge.rtt_ms !== null && (slowest === null || edge.rtt_ms > slowest.ms)) {
      slowest = { name: edge.name, ms: edge.rtt_ms };
    }
  }
  return {
    connected: rows.filter(({ edge }) => edge.connected).length,
    total: rows.length,
    behind: behind.size,
    slowest,
    evaluations,
  };
}
