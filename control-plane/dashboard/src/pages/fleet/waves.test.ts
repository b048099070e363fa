import { expect, it } from 'vitest';
import type { Wave } from './queries';
import { timeOf, waveId, waveView } from './waves';

function wave(times: Record<string, number>, lagging: string[] = []): Wave {
  return {
    env_id: 'prod',
    version: 7,
    priority: true,
    killed: true,
    action: 'flag.killed',
    resource_type: 'flag',
    resource_id: 'f',
    resource_key: 'checkout',
    project_id: 'p',
    actor_id: null,
    committed_at: '2026-05-04T12:00:00Z',
    published_ms: 4,
    bytes: 90,
    acknowledged: Object.entries(times).map(([edge, after_ms]) => ({ edge, region: null, after_ms })),
    lagging,
  };
}

it('bars are ordered by time, the longest is whole', () => {
  const view = waveView(wave({ slow: 80, quick: 20, even: 40 }, ['gone']));
  expect(view.bars.map(({ edge, share }) => [edge, share])).toEqual([
    ['quick', 0.25],
    ['even', 0.5],
    ['slow', 1],
  ]);
  expect(view).toMatchObject({ median: 40, last: { edge: 'slow' }, missing: ['gone'] });
});

it('the median of an even number is between the two in the middle', () => {
  expect(waveView(wave({ a: 10, b: 20, c: 40, d: 90 })).median).toBe(30);
  expect(waveView(wave({}))).toMatchObject({ median: null, last: null });
  expect(waveView(wave({ a: 0 })).bars[0]?.share).toBe(0);
});

it('an edge has its time, lags, or has no part in a change', () => {
  const one = wave({ a: 10 }, ['b']);
  expect([timeOf(one, 'a'), timeOf(one, 'b'), timeOf(one, 'c')]).toEqual([10, null, undefined]);
  expect(waveId(one)).toBe('7.prod');
});
