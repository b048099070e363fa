import { expect, it } from 'vitest';
import { compared } from './compared';
import type { Explanation } from './queries';

const STORED: Explanation = {
  result: { flag_key: 'f', value: { a: 1, b: 2 }, reason: 'TARGETED', variant_key: '' },
  decided_by: 'rules',
  rule_id: 'beta',
  steps: [],
  buckets: { rollout: null, mutex: null, variant: null },
  prerequisites: [],
  mutex: null,
  rules: [],
  warnings: [],
};
const result = (changes: Partial<Explanation['result']>) => ({
  ...STORED,
  result: { ...STORED.result, ...changes },
});

it.each([
  ['the same', result({ value: { b: 2, a: 1 } }), 'same'],
  ['another value', result({ value: { a: 1 } }), 'different'],
  ['another variant', result({ variant_key: 'red' }), 'different'],
  ['another reason', result({ reason: 'ROLLOUT' }), 'reason'],
  ['another rule', { ...STORED, rule_id: 'staff' }, 'reason'],
  ['another step', { ...STORED, decided_by: 'served_value' }, 'reason'],
])('tells %s', (_, other, expected) => {
  expect(compared(other, STORED)).toBe(expected);
});
