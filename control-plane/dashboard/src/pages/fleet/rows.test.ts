import { describe, expect, it } from 'vitest';
import type { Edge } from './queries';
import { endsSoon, isTroubled, mostBehind, rowsOf, summaryOf, viewOf } from './rows';
import { edge, gone } from './testing';

const NOW = Date.parse('2026-05-04T12:00:00Z');

const lag = (env_id: string, versions: number) => ({ env_id, versions, since: '2026-05-04T11:59:00Z' });

describe('the state of an edge', () => {
  const state = (more: Partial<Edge>, env?: string) => rowsOf([edge('a', more)], env, NOW)[0]?.state;

  it('is live, behind, away, or never connected', () => {
    expect(state({})).toBe('live');
    expect(state({ lag: [lag('prod', 2)] })).toBe('behind');
    expect(state({ ...gone, lag: [lag('prod', 2)] })).toBe('away');
    expect(state({ ...gone, last_seen_at: null })).toBe('never');
  });

  it('is that in the chosen environment', () => {
    expect(state({ lag: [lag('dev', 2)] }, 'prod')).toBe('live');
    expect(state({ lag: [lag('dev', 2)] }, 'dev')).toBe('behind');
  });
});

it('a row has the version of the chosen environment, and how far its edge is from a control plane', () => {
  const rows = rowsOf(
    [edge('r', { kind: 'relay' }), edge('a', { via: 'r' }), edge('b', { via: 'a' })],
    'prod',
    NOW,
  );
  expect(rows.map(({ version, level }) => [version, level])).toEqual([
    [7, 0],
    [7, 1],
    [7, 2],
  ]);
  expect(rowsOf([edge('x', { via: 'y' }), edge('y', { via: 'x' })], undefined, NOW)[0]?.level).toBe(8);
});

it('a certificate that ends within two weeks is trouble', () => {
  const [row] = rowsOf([edge('a', { certificate_expires_at: '2026-05-10T12:00:00Z' })], undefined, NOW);
  expect(row).toMatchObject({ certificateDays: 6, state: 'live' });
  expect(row !== undefined && endsSoon(row) && isTroubled(row)).toBe(true);
});

describe('the list', () => {
  const rows = rowsOf(
    [
      edge('fra-10', { region: 'eu' }),
      edge('fra-2', { region: 'eu', rtt_ms: 90 }),
      edge('new', { ...gone, last_seen_at: null }),
      edge('late', { lag: [lag('prod', 3), lag('dev', 1)] }),
      edge('away', { ...gone, lag: [lag('prod', 1)] }),
    ],
    undefined,
    NOW,
  );
  const names = (view: Parameters<typeof viewOf>[1]) => viewOf(rows, view).map(({ name }) => name);

  it('begins with trouble, and counts numbers in names', () => {
    expect(names({})).toEqual(['away', 'late', 'new', 'fra-2', 'fra-10']);
    expect(names({ sort: 'name' })).toEqual(['away', 'fra-2', 'fra-10', 'late', 'new']);
    expect(names({ sort: 'rtt' })[0]).toBe('fra-2');
  });

  it('is filtered by text and state', () => {
    expect(names({ q: ' EU ' })).toEqual(['fra-2', 'fra-10']);
    expect(names({ state: 'never' })).toEqual(['new']);
  });

  it('is summed up', () => {
    expect(summaryOf(rows)).toEqual({
      connected: 3,
      total: 5,
      behind: 2,
      slowest: { name: 'fra-2', ms: 90 },
      evaluations: 0,
    });
    expect(rows.map(mostBehind)).toEqual([0, 0, 0, 3, 1]);
  });
});
