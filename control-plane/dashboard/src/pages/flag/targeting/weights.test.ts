import { describe, expect, it } from 'vitest';
import type { Variant } from '../../../api/model';
import { evened, movedShare, sumOf } from './weights';

const of = (weights: Record<string, number>): Variant[] =>
  Object.entries(weights).map(([key, weight]) => ({ key, weight, value: null }));

it('sums weights', () => {
  expect(sumOf(of({ a: 3333, b: 6667 }))).toBe(10_000);
  expect(sumOf([])).toBe(0);
});

it.each([
  [{ a: 1, b: 2 }, [5000, 5000]],
  [{ a: 1, b: 2, c: 3 }, [3334, 3333, 3333]],
  [{ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 }, [1667, 1667, 1667, 1667, 1666, 1666]],
])('evens %j to %j', (weights, even) => {
  const variants = evened(of(weights));
  expect(variants.map(({ weight }) => weight)).toEqual(even);
  expect(sumOf(variants)).toBe(10_000);
});

describe('who changes variant', () => {
  it.each([
    ['nobody when nothing changes', { a: 5000, b: 5000 }, { a: 5000, b: 5000 }, 0],
    [
      'whom a variant at the end takes from the last',
      { a: 5000, b: 5000 },
      { a: 5000, b: 4000, c: 1000 },
      1000,
    ],
    ['more when all give to the one at the end', { a: 5000, b: 5000 }, { a: 4500, b: 4500, c: 1000 }, 1500],
    ['more when it comes first', { a: 5000, b: 5000 }, { c: 1000, a: 4500, b: 4500 }, 1500],
    ['everyone when two halves change places', { a: 5000, b: 5000 }, { b: 5000, a: 5000 }, 10_000],
    ['whom a removed one had, and whom it pushed', { a: 3000, b: 3000, c: 4000 }, { a: 5000, c: 5000 }, 3000],
    ['everyone of a renamed one', { a: 5000, b: 5000 }, { a: 5000, z: 5000 }, 5000],
  ])('%s', (_, before, after, moved) => {
    expect(movedShare(of(before), of(after))).toBe(moved);
  });

  it('is what counting the buckets one by one says', () => {
    const before = of({ a: 1234, b: 4321, c: 4445 });
    const after = of({ a: 2000, c: 3000, b: 4999, d: 1 });
    const drawn = (variants: Variant[], bucket: number) => {
      let total = 0;
      return variants.find(({ weight }) => {
        total += weight;
        return total > bucket;
      })?.key;
    };
    let changes = 0;
    for (let bucket = 0; bucket < 10_000; bucket += 1) {
      if (drawn(before, bucket) !== drawn(after, bucket)) changes += 1;
    }
    expect(movedShare(before, after)).toBe(changes);
  });
});
