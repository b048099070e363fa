import { describe, expect, it } from 'vitest';
import type { Rule, Variant } from '../../../api/model';
import { linesOf } from './marks';

const rule = (id: string, percentage: number): Rule => ({
  id,
  priority: 0,
  description: id,
  conditions: [],
  segment_keys: [],
  percentage,
  match_type: 'all',
});
const variant = (key: string, weight: number): Variant => ({ key, value: key, weight });
const tried = (id: string) => ({ id, matched: false, admitted: null, conditions: [], segments: [] });
const NONE = { rollout: null, mutex: null, variant: null };

describe('the line of the rollout', () => {
  const state = {
    rules: [rule('half', 5000), rule('all', 10_000), rule('tenth', 1000), rule('later', 100)],
    percentage_rollout: 2500,
    variants: [],
  };
  const rules = [tried('half'), tried('all'), tried('tenth')];

  it('has the thresholds of the rules that were tried and of the rollout, in their order', () => {
    const [line] = linesOf({ buckets: { ...NONE, rollout: 2500 }, rules }, state);
    expect(line).toEqual({
      kind: 'rollout',
      bucket: 2500,
      marks: [
        { at: 1000, of: { kind: 'rule', place: 2, description: 'tenth' }, holds: false },
        { at: 2500, of: { kind: 'rollout' }, holds: false },
        { at: 5000, of: { kind: 'rule', place: 0, description: 'half' }, holds: true },
      ],
    });
  });

  it('lets in what is below a threshold', () => {
    const [line] = linesOf({ buckets: { ...NONE, rollout: 2499 }, rules: [] }, state);
    expect(line?.marks).toEqual([{ at: 2500, of: { kind: 'rollout' }, holds: true }]);
  });

  it('is not there when no bucket was drawn', () => {
    expect(linesOf({ buckets: { ...NONE, mutex: 7 }, rules }, state)).toEqual([]);
  });

  it('a rollout of nobody is a threshold, none is not', () => {
    const at = (percentage_rollout: number | null) =>
      linesOf({ buckets: { ...NONE, rollout: 0 }, rules: [] }, { ...state, percentage_rollout })[0]?.marks;
    expect(at(0)).toEqual([{ at: 0, of: { kind: 'rollout' }, holds: false }]);
    expect(at(null)).toEqual([]);
  });
});

describe('the line of the variants', () => {
  const drawn = (bucket: number, variants: Variant[]) =>
    linesOf(
      { buckets: { ...NONE, variant: bucket }, rules: [] },
      { rules: [], percentage_rollout: null, variants },
    )[0]?.marks.map(({ at, holds }) => [at, holds]);

  it.each([
    [0, 0],
    [3332, 0],
    [3333, 1],
    [6666, 2],
    [9999, 2],
  ])('at the bucket %i draws the variant at %i', (bucket, place) => {
    const ends = drawn(bucket, [variant('a', 3333), variant('b', 3333), variant('c', 3334)]);
    expect(ends).toEqual([
      [3333, place === 0],
      [6666, place === 1],
      [10_000, place === 2],
    ]);
  });

  it('draws the last one where the weights do not reach', () => {
    expect(drawn(9000, [variant('a', -5), variant('b', 100)])).toEqual([
      [0, false],
      [100, true],
    ]);
  });
});
