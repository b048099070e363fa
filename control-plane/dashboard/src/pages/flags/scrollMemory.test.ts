import { expect, it } from 'vitest';
import { rememberScroll, scrollOf } from './scrollMemory';

it('keeps the last entries', () => {
  for (let entry = 0; entry < 60; entry += 1) rememberScroll(String(entry), entry);
  rememberScroll('15', 150);
  rememberScroll('new', 1);
  expect([scrollOf('0'), scrollOf('10'), scrollOf('15'), scrollOf('59'), scrollOf('other')]).toEqual([
    0, 0, 150, 59, 0,
  ]);
});
