import { expect, test } from 'vitest';
import { evaluationsOf, inUse } from './loss';

const NOW = Date.parse('2026-05-04T12:00:00Z');

test('a key is in use if it was used within the last hour and is not revoked', () => {
  const key = (last_used_at: string | null, revoked_at: string | null = null) => ({
    last_used_at,
    revoked_at,
  });
  const keys = [
    key('2026-05-04T11:01:00Z'),
    key('2026-05-04T11:00:00Z'),
    key(null),
    key('2026-05-04T11:59:00Z', '2026-05-04T11:59:30Z'),
  ];
  expect(inUse(keys, NOW)).toBe(1);
  expect(inUse([], NOW)).toBe(0);
});

test('evaluations are those of all series, and those of series that were left out', () => {
  const series = [
    {
      points: [
        [60, 2],
        [120, 3],
      ],
    },
    { points: [[60, 5]] },
    { points: [] },
  ];
  expect(evaluationsOf({ series, left_out: { evaluations: 7 } })).toBe(17);
  expect(evaluationsOf({ series: [], left_out: { evaluations: 0 } })).toBe(0);
});
