import { expect, it } from 'vitest';
import { countsOf, idOf, type Report, type Series, timelineOf, totalOf } from './report';

const SPAN = { name: '1m', step: 60, from: 600, to: 780 } as const;

function series(value: unknown, points: number[][], more: Partial<Series> = {}): Series {
  return {
    flag_key: 'a',
    env_id: null,
    value,
    value_digest: null,
    variant_key: null,
    reason: null,
    points,
    ...more,
  } as Series;
}

function report(all: Series[], left: number[][] = []): Report {
  const evaluations = left.reduce((sum, [, count = 0]) => sum + count, 0);
  return { step: '1m', series: all, left_out: { series: left.length, evaluations, points: left } };
}

const labels = { of: (one: Series) => JSON.stringify(one.value), others: () => 'Others' };

it('has a line for each value, the largest first, with a count for every step', () => {
  const timeline = timelineOf(
    [
      report([
        series(true, [[600, 1]]),
        series(false, [
          [600, 5],
          [720, 2],
        ]),
      ]),
      report([series(true, [[660, 3]])]),
    ],
    'value',
    SPAN,
    labels,
  );
  expect(timeline).toEqual({
    at: [600, 660, 720],
    step: 60,
    lines: [
      { id: 'false', label: 'false', counts: [5, 0, 2] },
      { id: 'true', label: 'true', counts: [1, 3, 0] },
    ],
  });
  expect(totalOf(timeline)).toBe(11);
  const reports = [report([series(true, [[600, 1]])]), report([series(true, [[660, 3]])])];
  expect([...countsOf(reports, 'value')]).toEqual([['true', 4]]);
});

it('sums up what has no line of its own, and loses nothing', () => {
  const many = Array.from({ length: 12 }, (_, index) => series(index, [[660, index + 1]]));
  const timeline = timelineOf(
    [
      report(many, [
        [600, 7],
        [720, 1],
      ]),
    ],
    'value',
    SPAN,
    labels,
  );
  expect(timeline.lines).toHaveLength(8);
  expect(timeline.lines.at(-1)).toEqual({ id: 'others', label: 'Others', counts: [7, 15, 1] });
  expect(totalOf(timeline)).toBe(78 + 8);
});

it('needs no line of others where all have room', () => {
  const eight = Array.from({ length: 8 }, (_, index) => series(index, [[660, 1]]));
  expect(timelineOf([report(eight)], 'value', SPAN, labels).lines).toHaveLength(8);
  expect(timelineOf([report([])], 'value', SPAN, labels).lines).toEqual([]);
});

it('tells values apart as JSON or by their digest', () => {
  expect(idOf(series('1', []), 'value')).toBe('"1"');
  expect(idOf(series(1, []), 'value')).toBe('1');
  expect(idOf(series(null, [], { value_digest: '00ff' }), 'value')).toBe('00ff');
  expect(idOf(series(1, [], { variant_key: 'x' }), 'variant')).toBe('x');
});
