import { expect, it } from 'vitest';
import { askFirst, mayDrop } from './unsaved';

it('asks only while something is unsaved', async () => {
  expect(await mayDrop()).toBe(true);
  const stop = askFirst(async () => false);
  expect(await mayDrop()).toBe(false);
  stop();
  expect(await mayDrop()).toBe(true);
});

it('keeps the question of the page that is open', async () => {
  const stopFirst = askFirst(async () => true);
  const stopSecond = askFirst(async () => false);
  stopFirst();
  expect(await mayDrop()).toBe(false);
  stopSecond();
});
