import { expect, it } from 'vitest';
import { partsOf, RANGES, spanOf } from './ranges';

const NOW = Date.parse('2026-05-04T12:34:56Z');

it('ends with the step that has begun', () => {
  const spans = RANGES.map(range => spanOf(range, NOW));
  expect(spans.map(({ name, from, to, step }) => [name, (to - from) / step])).toEqual([
    ['1m', 60],
    ['1h', 24],
    ['1d', 30],
    ['1d', 365],
  ]);
  expect(spans.map(({ to }) => new Date(to * 1000).toISOString())).toEqual([
    '2026-05-04T12:35:00.000Z',
    '2026-05-04T13:00:00.000Z',
    '2026-05-05T00:00:00.000Z',
    '2026-05-05T00:00:00.000Z',
  ]);
});

it('asks in parts that the service answers', () => {
  expect(partsOf(spanOf('day', NOW))).toHaveLength(1);
  const span = spanOf('year', NOW);
  const parts = partsOf(span);
  expect(parts.map(({ from, to }) => (to - from) / span.step)).toEqual([300, 65]);
  expect([parts[0]?.from, parts[1]?.from, parts[1]?.to]).toEqual([span.from, parts[0]?.to, span.to]);
});
