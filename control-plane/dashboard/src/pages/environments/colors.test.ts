import { expect, it } from 'vitest';
import { colorOf, freeColor, isHex } from './colors';

it('a colour is known in either case', () => {
  expect(colorOf('#22C55E')).toBe('green');
  expect(colorOf('#123456')).toBeNull();
});

it.each([
  ['#a1B2c3', true],
  ['a1b2c3', false],
  ['#abc', false],
])('%s: %s', (text, is) => {
  expect(isHex(text)).toBe(is);
});

it('a new environment gets a colour of its own, and grey when all are taken', () => {
  expect(freeColor(['#22C55E', '#f59e0b'])).toBe('#ef4444');
  expect(freeColor([])).toBe('#22c55e');
});
