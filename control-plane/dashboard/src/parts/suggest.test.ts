import { expect, it } from 'vitest';
import { keyOf, slugOf } from './suggest';

it.each([
  ['Production', 'production'],
  ['  EU / West 2 ', 'eu-west-2'],
  ['Über Größe', 'uber-gro-e'],
  ['v2.1', 'v2-1'],
  ['—', ''],
])('%j suggests the slug %j', (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});

it('is as long as slugs may be, and does not end with a hyphen where it is cut', () => {
  expect(slugOf(`${'a'.repeat(99)} b`)).toBe('a'.repeat(99));
  expect(slugOf('a'.repeat(120))).toHaveLength(100);
});

it.each([
  ['New checkout', 'new-checkout'],
  ['  Größe & Farbe!  ', 'gro-e-farbe'],
  ['Crème brûlée', 'creme-brulee'],
  ['v2.1_beta~x', 'v2.1_beta~x'],
  ['--- 7 ---', '7'],
  ['._ 7', '7'],
  ['日本', ''],
  ['a'.repeat(300), 'a'.repeat(255)],
  [`${'a'.repeat(254)} b`, 'a'.repeat(254)],
])('%j suggests the key %j', (name, key) => {
  expect(keyOf(name)).toBe(key);
});
