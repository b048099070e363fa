import { expect, it } from 'vitest';
import { sharesOf, wilson } from './shares';

it("is Wilson's interval", () => {
  // Known values: 10 of 100, 0 of 10, 10 of 10.
  const rounded = (count: number, total: number) => {
    const { low, high } = wilson(count, total);
    return [low, high].map(value => Math.round(value * 10_000) / 10_000);
  };
  expect(rounded(10, 100)).toEqual([0.0552, 0.1744]);
  expect(rounded(0, 10)).toEqual([0, 0.2775]);
  expect(rounded(10, 10)).toEqual([0.7225, 1]);
  expect(wilson(0, 0)).toEqual({ low: 0, high: 1 });
});

it('holds the true share for most samples of a million', () => {
  // A normal sample of each seed, by a fixed generator.
  let seed = 1;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const total = 1_000_000;
  const samples = Array.from({ length: 2000 }, () => {
    const normal = Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
    return Math.round(total * 0.3 + normal * Math.sqrt(total * 0.3 * 0.7));
  });
  const inside = samples.filter(count => {
    const { low, high } = wilson(count, total);
    return low <= 0.3 && 0.3 <= high;
  });
  expect(inside.length / samples.length).toBeGreaterThan(0.93);
  expect(inside.length / samples.length).toBeLessThan(0.97);
});

it('says which variants do not fit their weight', () => {
  const weights = [
    { key: 'a', weight: 5000 },
    { key: 'b', weight: 3000 },
    { key: 'c', weight: 2000 },
  ];
  const verdicts = (counts: Record<string, number>) =>
    sharesOf(weights, new Map(Object.entries(counts))).map(({ key, verdict }) => `${key} ${verdict}`);
  expect(verdicts({ a: 5010, b: 2990, c: 2000 })).toEqual(['a fits', 'b fits', 'c fits']);
  expect(verdicts({ a: 6000, b: 3000, c: 1000 })).toEqual(['a high', 'b fits', 'c low']);
  expect(verdicts({ a: 5, b: 0 })).toEqual(['a unknown', 'b unknown', 'c unknown']);
  expect(verdicts({ a: 500, b: 300, gone: 200 })).toEqual(['a fits', 'b fits', 'c low', 'gone unknown']);
  expect(verdicts({})).toEqual(['a unknown', 'b unknown', 'c unknown']);
});
