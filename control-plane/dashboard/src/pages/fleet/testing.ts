/** Edges for unit tests. */
import type { Edge } from './queries';

export function edge(name: string, more: Partial<Edge> = {}): Edge {
  return {
    name,
    region: null,
    kind: 'edge',
    connected: true,
    connected_since: '2026-05-04T11:00:00Z',
    last_seen_at: '2026-05-04T12:00:00Z',
    build: '0.2.0',
    rtt_ms: 10,
    certificate_expires_at: '2027-05-04T12:00:00Z',
    evaluations_per_minute: 0,
    lag: [],
    environments: [{ env_id: 'prod', version: 7, current_version: 7, age_ms: 5 }],
    ...more,
  };
}

export const gone = { connected: false, connected_since: null, build: null, rtt_ms: null, environments: [] };
