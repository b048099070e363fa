import { expect, it } from 'vitest';
import { groupMarkers, spread, stack, steps, totalAt } from './series';

const line = (id: string, counts: number[]) => ({ id, label: id, counts });

it('stacks lines, so that the last is the total', () => {
  const lines = [line('a', [1, 2, 0]), line('b', [10, 0, 5])];
  expect(stack(lines)).toEqual([
    [1, 2, 0],
    [11, 2, 5],
  ]);
  expect([0, 1, 2].map(index => totalAt({ lines }, index))).toEqual([11, 2, 5]);
  expect(stack([])).toEqual([]);
});

it('has a step for each beginning in a span', () => {
  expect(steps(60, 240, 60)).toEqual([60, 120, 180]);
  expect(steps(61, 241, 60)).toEqual([60, 120, 180, 240]);
  expect(steps(60, 60, 60)).toEqual([]);
});

it('groups markers of a step, and leaves out those beyond the chart', () => {
  const timeline = { at: steps(0, 600, 60), step: 60, lines: [] };
  const marker = (at: number) => ({ at, id: String(at) });
  expect(groupMarkers([marker(610), marker(70), marker(-1), marker(65), marker(599)], timeline)).toEqual([
    { number: 1, at: 65, ids: ['65', '70'] },
    { number: 2, at: 599, ids: ['599'] },
  ]);
  expect(groupMarkers([marker(1)], { at: [], step: 60, lines: [] })).toEqual([]);
});

it('groups markers of neighbouring steps where there are too many', () => {
  const timeline = { at: steps(0, 6000, 60), step: 60, lines: [] };
  const markers = timeline.at.map(at => ({ at, id: String(at) }));
  const groups = groupMarkers(markers, timeline);
  expect(groups.length).toBeLessThanOrEqual(12);
  expect(groups.flatMap(({ ids }) => ids)).toHaveLength(100);
});

it('moves labels apart within the chart', () => {
  expect(spread([10, 50], 14, 0, 100)).toEqual([10, 50]);
  expect(spread([50, 50, 48], 14, 0, 100)).toEqual([62, 76, 48]);
  expect(spread([98, 99, 100], 14, 0, 100)).toEqual([72, 86, 100]);
});
