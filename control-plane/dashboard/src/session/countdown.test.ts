import { expect, it } from 'vitest';
import { clock } from '../messages/format';
import { secondsLeft } from './countdown';

it.each([
  [10_000, 0, 10],
  [10_000, 9001, 1],
  [10_000, 9999, 1],
  [10_000, 10_000, 0],
  [10_000, 70_000, 0],
])('until %i there are, at %i, %i seconds left', (until, now, left) => {
  expect(secondsLeft(until, now)).toBe(left);
});

it.each([
  [0, '0:00'],
  [7, '0:07'],
  [60, '1:00'],
  [899, '14:59'],
  [3600, '60:00'],
])('%i seconds read %s', (seconds, text) => {
  expect(clock(seconds)).toBe(text);
});
