import { expect, it } from 'vitest';
import { keyOf, tagsOf } from './newFlag';

it.each([
  ['New checkout', 'new-checkout'],
  ['  Größe & Farbe!  ', 'gro-e-farbe'],
  ['Crème brûlée', 'creme-brulee'],
  ['v2.1_beta~x', 'v2.1_beta~x'],
  ['--- 7 ---', '7'],
  ['日本', ''],
  ['a'.repeat(300), 'a'.repeat(255)],
])('the name %s suggests %s', (name, key) => {
  expect(keyOf(name)).toBe(key);
});

it('tags have commas between', () => {
  expect(tagsOf(' web, mobile ,,web')).toEqual(['web', 'mobile']);
  expect(tagsOf('  ')).toEqual([]);
});
