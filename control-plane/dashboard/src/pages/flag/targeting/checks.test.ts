import { describe, expect, it } from 'vitest';
import type { StateDraft } from '../../../api/model';
import { draftOf } from '../../../flagState/draft';
import { localTime, readTime } from '../../../schedule/zones';
import { placeOf, problemsOf, rulePlaceOf, withoutPlace } from './checks';
import { newRule } from './edit';

const on = { ...draftOf({ enabled: false }), enabled: true };
const filled = { attribute: 'country', operator: 'in', values: ['DE'] };
const rule = (change = {}) => ({ ...newRule('r', true), conditions: [filled], ...change });
const found = (draft: Partial<StateDraft>) => Object.fromEntries(problemsOf('boolean', { ...on, ...draft }));

describe('what would be refused', () => {
  it('is nothing in a state that is complete', () => {
    const variants = [{ key: 'a', value: 1, weight: 10_000 }];
    expect(found({ rules: [rule()], variants, default_value: false })).toEqual({});
  });

  it('is told at its field', () => {
    const incomplete = rule({
      conditions: [filled, { attribute: ' ', operator: 'in', values: [] }],
      value: 'x',
    });
    expect(found({ rules: [rule(), incomplete] })).toEqual({
      'rules[1].conditions[1].attribute': { kind: 'attribute' },
      'rules[1].conditions[1].values': { kind: 'values' },
      'rules[1].value': { kind: 'value', why: 'boolean' },
    });
  });

  it('operators that need no value have none', () => {
    const conditions = ['exists', 'neq'].map(operator => ({ attribute: 'a', operator, values: [] }));
    expect(found({ rules: [rule({ conditions })] })).toEqual({});
  });

  it('a rule may leave its value out', () => {
    expect(found({ rules: [rule({ value: undefined })] })).toEqual({});
  });

  it('weights have to make 100 %, and keys differ', () => {
    const of = (key: string, weight: number) => ({ key, weight, value: null });
    expect(found({ variants: [of('a', 5000), of('a', 3000), of('', 0)] })).toEqual({
      'variants[1].key': { kind: 'variantTwice' },
      'variants[2].key': { kind: 'variantKey' },
      variants: { kind: 'weights', sum: 8000 },
    });
  });
});

it.each([
  ['rules[2].value must be a boolean', 'rules[2].value'],
  ['rules[0].conditions[1].values must not be empty', 'rules[0].conditions[1].values'],
  ['rules[0].conditions[1].a value must have at most 1024 characters', 'rules[0].conditions[1]'],
  ['rules[1].percentage must be an integer in basis points, 0 to 10000', 'rules[1].percentage'],
  ['variants[0].weight must be an integer', 'variants[0].weight'],
  ['variant weights must sum to 10000', 'variants'],
  ['default_value must be a boolean', 'default_value'],
  ['rules must have at most 100 items', null],
  ['somebody must do something', null],
])('%s is about %s', (message, place) => {
  expect(placeOf(message)).toBe(place);
});

it.each([
  ['rules[2].value must be a boolean', 'value must be a boolean'],
  ['rules[0].conditions[1].a value must be short', 'a value must be short'],
  ['variant weights must sum to 10000', 'variant weights must sum to 10000'],
])('%s is said at its place', (message, said) => {
  expect(withoutPlace(message)).toBe(said);
});

it('knows which rule a place is in', () => {
  expect(rulePlaceOf('rules[12].conditions[3].values')).toBe(12);
  expect(rulePlaceOf('variants')).toBeNull();
});

it('times go through their fields unchanged', () => {
  for (const iso of ['2026-11-24T09:00:00Z', '2026-07-01T23:59:30Z', '2027-01-01T00:00:00Z']) {
    expect(readTime(localTime(iso)).iso).toBe(iso);
  }
  expect(readTime('').iso).toBeNull();
});
