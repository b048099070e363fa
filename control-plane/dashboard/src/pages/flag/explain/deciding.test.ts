import { describe, expect, it } from 'vitest';
import { decidingOf } from './deciding';
import type { Explanation } from './queries';

const PLAIN: Explanation = {
  result: { flag_key: 'f', value: true, reason: 'FALLTHROUGH', variant_key: '' },
  decided_by: 'served_value',
  rule_id: null,
  steps: [],
  buckets: { rollout: null, mutex: null, variant: null },
  prerequisites: [],
  mutex: null,
  rules: [],
  warnings: [],
};
const tried = (id: string) => ({ id, matched: false, admitted: null, conditions: [], segments: [] });
const needed = (flag_key: string, met: boolean, reason: string) => ({ flag_key, met, reason, value: met });

describe('what decided', () => {
  it('is the rule that was tried last', () => {
    const explanation = {
      ...PLAIN,
      result: { ...PLAIN.result, reason: 'TARGETED' },
      decided_by: 'rules',
      rules: [tried('a'), tried('b')],
    };
    const rules = [{ description: 'Beta' }, { description: 'Staff' }, { description: 'Rest' }];
    expect(decidingOf(explanation, rules)).toEqual({ by: 'rule', place: 1, description: 'Staff' });
  });

  it('is the flag that won the contest', () => {
    const mutex = { group: 'checkout', winner: 'old', members: ['new', 'old'] };
    expect(decidingOf({ ...PLAIN, decided_by: 'mutual_exclusion', mutex }, [])).toEqual({
      by: 'mutex',
      group: 'checkout',
      winner: 'old',
    });
  });

  it('is the prerequisite of the flag itself, not what that one needs', () => {
    const prerequisites = [
      needed('deep', false, 'DISABLED'),
      needed('near', false, 'PREREQUISITE_FAILED'),
      needed('fine', true, 'FALLTHROUGH'),
    ];
    expect(decidingOf({ ...PLAIN, decided_by: 'prerequisites', prerequisites }, [])).toEqual({
      by: 'prerequisite',
      flagKey: 'near',
      reason: 'PREREQUISITE_FAILED',
    });
  });

  it('is a cycle where no prerequisite was tried', () => {
    expect(decidingOf({ ...PLAIN, decided_by: 'prerequisites' }, [])).toEqual({ by: 'prerequisites' });
  });

  it('is the variant that was drawn', () => {
    const result = { ...PLAIN.result, reason: 'VARIANT', variant_key: 'red' };
    expect(decidingOf({ ...PLAIN, result, decided_by: 'variants' }, [])).toEqual({
      by: 'variant',
      key: 'red',
    });
  });

  it('is an error, whichever step it happened in', () => {
    const result = { ...PLAIN.result, reason: 'ERROR' };
    expect(decidingOf({ ...PLAIN, result, decided_by: 'rules' }, [])).toEqual({ by: 'error' });
  });

  it('else is the step itself', () => {
    expect(decidingOf({ ...PLAIN, decided_by: 'enabled' }, [])).toEqual({ by: 'step', step: 'enabled' });
  });
});
