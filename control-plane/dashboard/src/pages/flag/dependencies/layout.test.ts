import { expect, it } from 'vitest';
import { BOX, layout } from './layout';
import type { Related } from './queries';

const flag = (key: string, level: number, requires: string[] = []): Related => ({
  key,
  name: key,
  archived: false,
  level,
  requires,
  env_ids: [],
});

it('what a flag requires is on its left, what requires it on its right', () => {
  const picture = layout([
    flag('top', 0, ['a', 'gone']),
    flag('a', 1),
    flag('gone', 1),
    flag('above', -1, ['top']),
  ]);
  const at = Object.fromEntries(picture.boxes.map(({ flag, x }) => [flag.key, x]));
  expect(at.a).toBe(at.gone);
  expect(at.a).toBeLessThan(at.top ?? 0);
  expect(at.top).toBeLessThan(at.above ?? 0);
  expect(picture.lines.map(({ from, to }) => `${from} ${to}`)).toEqual(['a top', 'gone top', 'top above']);
  expect(picture.width).toBe(3 * BOX.width + 2 * BOX.gapX);
  expect(picture.left).toBe(0);
});

it('is bounded in both directions, and says how many flags are left to the list', () => {
  const many = Array.from({ length: 60 }, (_, place) => flag(`f${place}`, 1));
  const picture = layout([flag('top', 0), ...many, flag('far', 5), flag('above', -3)]);
  expect(picture.boxes).toHaveLength(9);
  expect(picture.left).toBe(54);
  expect(picture.boxes.every(({ y }) => y >= 0 && y + BOX.height <= picture.height)).toBe(true);
});
