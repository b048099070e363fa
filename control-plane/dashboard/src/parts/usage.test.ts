import { expect, it } from 'vitest';
import { limitOf } from './usage';

it('a plan without a limit has nothing to say', () => {
  expect(limitOf(40, -1)).toBeNull();
});

it.each([
  [1, false],
  [2, true],
  [3, true],
])('%i of 2 used', (used, isReached) => {
  expect(limitOf(used, 2)).toEqual({ used, limit: 2, isReached });
});
