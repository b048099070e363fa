import { describe, expect, it } from 'vitest';
import { beginningOf, distance, nearest } from './nearest';

const FLAGS = [
  { key: 'new-checkout', name: 'New checkout' },
  { key: 'checks', name: 'Checks' },
  { key: 'billing-cached', name: 'Cached bills' },
];

describe('a mistyped name', () => {
  it.each([
    ['chekout', ['new-checkout']],
    ['chcekout', ['new-checkout']],
    ['biling cahced', ['billing-cached']],
    ['abc', []],
    ['checkout billing', []],
  ])('%s is near to %j', (typed, keys) => {
    expect(nearest(typed, FLAGS, 3).map(({ key }) => key)).toEqual(keys);
  });

  it('is asked for by its first letters', () => {
    expect(beginningOf('Chekout now')).toBe('ch');
  });
});

it.each([
  ['a', 'a', 0],
  ['ab', 'ba', 1],
  ['chekout', 'checkout', 1],
  ['', 'abc', 3],
])('from %s to %s it is %i', (a, b, edits) => {
  expect(distance(a, b)).toBe(edits);
});
