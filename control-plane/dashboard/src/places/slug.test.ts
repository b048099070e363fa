import { expect, it } from 'vitest';
import { slugOf } from './slug';

it.each([
  ['Production', 'production'],
  ['  EU / West 2 ', 'eu-west-2'],
  ['Über Größe', 'uber-gro-e'],
  ['—', ''],
])('%j suggests %j', (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});

it('is as long as slugs may be, and does not end with a hyphen where it is cut', () => {
  expect(slugOf(`${'a'.repeat(99)} b`)).toBe('a'.repeat(99));
  expect(slugOf('a'.repeat(120))).toHaveLength(100);
});
