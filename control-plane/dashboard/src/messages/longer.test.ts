import { expect, it } from 'vitest';
import { lengthen, longer } from './longer';

it.each(['Save', 'Nobody is signed in.', 'x'])('"%s" becomes 40 %% longer', text => {
  const long = longer(text);
  expect(long.startsWith(text)).toBe(true);
  expect(long.length).toBeGreaterThanOrEqual(text.length);
  expect(long.length).toBeLessThanOrEqual(Math.ceil(text.length * 1.4));
});

it('long texts do reach it', () => {
  const text = 'A sentence that is as long as most are on these pages.';
  expect(longer(text).length).toBeGreaterThanOrEqual(Math.floor(text.length * 1.4) - 1);
});

it('nothing stays nothing', () => {
  expect(longer('')).toBe('');
});

it('messages are lengthened once, where they are, also for whoever shares a part of them', () => {
  const common = { save: () => 'Save it now', count: (n: number) => `${n} things` };
  const all = { common, other: { deep: { text: () => 'Something else' } } };
  lengthen({ common });
  lengthen({ all });
  expect(common.save()).toBe(longer('Save it now'));
  expect(all.common.count(2)).toBe(longer('2 things'));
  expect(all.other.deep.text()).toBe(longer('Something else'));
});
