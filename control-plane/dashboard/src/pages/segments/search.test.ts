import { expect, it } from 'vitest';
import { searchSegments } from './search';

const SEGMENTS = [
  { key: 'beta', name: 'Beta testers', description: 'They asked for it' },
  { key: 'acme', name: 'ACME', description: '' },
];

it.each([
  ['', ['beta', 'acme']],
  ['  acme ', ['acme']],
  ['TEST', ['beta']],
  ['asked', ['beta']],
  ['zzz', []],
])('%j finds %j', (text, keys) => {
  expect(searchSegments(SEGMENTS, text).map(({ key }) => key)).toEqual(keys);
});
