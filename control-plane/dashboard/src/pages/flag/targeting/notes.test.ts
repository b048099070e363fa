import { describe, expect, it } from 'vitest';
import type { Condition, Rule, Segment } from '../../../api/model';
import { isComparable, lastReached, type Note, notesOf } from './notes';

let count = 0;
const rule = (change: Partial<Rule>): Rule => ({
  id: `r${count++}`,
  priority: 0,
  description: '',
  conditions: [],
  segment_keys: [],
  percentage: 10_000,
  match_type: 'all',
  value: true,
  ...change,
});
const where = (attribute: string, operator: string, ...values: string[]): Condition => ({
  attribute,
  operator,
  values,
});
const segment = (key: string, rules: Condition[]): Segment => ({
  id: '0190a5d6-7c4b-7e1a-9d3f-2b6c8e4f1a70',
  key,
  name: key,
  description: '',
  match_type: 'all',
  rules,
  created_at: '2026-01-02T15:04:05Z',
  updated_at: '2026-01-02T15:04:05Z',
});
const segments = {
  segments: [segment('beta', [where('plan', 'eq', 'beta')]), segment('empty', [])],
  isComplete: true,
};
const notes = (...rules: Rule[]): Note[][] => notesOf(rules, segments);
const german = where('country', 'in', 'DE');

describe('a rule is never reached', () => {
  it('behind one that takes everyone', () => {
    expect(notes(rule({ conditions: [german] }), rule({}), rule({ conditions: [german] }))).toEqual([
      [],
      [],
      [{ kind: 'unreached', place: 0 }],
    ]);
    expect(notes(rule({}), rule({ conditions: [german] }))[1]).toEqual([{ kind: 'unreached', place: 0 }]);
  });

  it('behind one with the same conditions', () => {
    const one = { conditions: [german, where('plan', 'eq', 'pro')], segment_keys: ['beta'] };
    expect(notes(rule(one), rule(one))[1]).toEqual([{ kind: 'unreached', place: 0 }]);
    expect(notes(rule(one), rule({ ...one, match_type: 'any' }))[1]).toEqual([]);
    expect(notes(rule(one), rule({ ...one, segment_keys: [] }))[1]).toEqual([]);
  });

  it('only when the share before it is as large: percentages share one bucket', () => {
    const half = rule({ percentage: 5000 });
    expect(notes(half, rule({ percentage: 5000, conditions: [german] }))[1]).toHaveLength(1);
    expect(notes(half, rule({ percentage: 2500 }))[1]).toHaveLength(1);
    expect(notes(half, rule({ percentage: 5001 }))[1]).toEqual([]);
  });

  it('and without a share it serves nobody', () => {
    expect(notes(rule({ percentage: 0 }), rule({ conditions: [german] }))).toEqual([
      [{ kind: 'nobody' }],
      [],
    ]);
  });
});

it('finds the rule behind which nobody is left', () => {
  expect(lastReached([rule({ conditions: [german] }), rule({})])).toBe(1);
  expect(lastReached([rule({ percentage: 9999 }), rule({ segment_keys: ['beta'] })])).toBeNull();
});

describe('segments', () => {
  it.each([
    [['beta'], []],
    [['gone'], [{ kind: 'segmentsGone', keys: ['gone'] }]],
    [['beta', 'gone'], [{ kind: 'segmentGone', keys: ['gone'] }]],
    [['empty'], [{ kind: 'segmentEmpty', keys: ['empty'] }]],
  ])('%j are told as %j', (segment_keys, told) => {
    expect(notes(rule({ segment_keys }))[0]).toEqual(told);
  });

  it('are not missed while the list of them is not complete', () => {
    expect(notesOf([rule({ segment_keys: ['gone'] })], { ...segments, isComplete: false })[0]).toEqual([]);
  });
});

describe('a negation', () => {
  const notFree = where('plan', 'notIn', 'free');
  const alone = { kind: 'negation', attribute: 'plan', isAlone: true };

  it.each([
    [[notFree], 'all' as const, [alone]],
    [[where('plan', 'neq', 'free')], 'all' as const, [alone]],
    [[notFree, german], 'all' as const, [{ ...alone, isAlone: false }]],
    [[where('key', 'neq', 'bob')], 'all' as const, []],
    [[notFree, where('plan', 'exists', 'false')], 'any' as const, []],
    [[notFree, where('plan', 'exists')], 'all' as const, []],
    [[notFree, where('plan', 'exists', 'false')], 'all' as const, [{ ...alone, isAlone: false }]],
  ])('%j with %s is told as %j', (conditions, match_type, told) => {
    expect(notes(rule({ conditions, match_type }))[0]).toEqual(told);
  });

  it('without values asks for absence', () => {
    expect(notes(rule({ conditions: [where('plan', 'neq')] }))[0]).toEqual([
      { kind: 'absence', attribute: 'plan' },
    ]);
  });
});

it('tells of patterns that will be refused', () => {
  expect(notes(rule({ conditions: [where('key', 'regex', '^a', '(?=b)')] }))[0]).toEqual([
    { kind: 'regex', pattern: '(?=b)', problem: 'look' },
  ]);
});

it('tells of comparisons that never hold', () => {
  expect(notes(rule({ conditions: [where('age', 'gte', 'old')] }))[0]).toEqual([
    { kind: 'comparison', value: 'old' },
  ]);
  expect(notes(rule({ conditions: [where('age', 'gte', '18')] }))[0]).toEqual([]);
});

it.each([
  ['18', true],
  ['-0.5e3', true],
  ['.5', true],
  ['1.2.3', true],
  ['1.2.3-beta.1+7', true],
  ['2026-11-24T09:00:00Z', true],
  ['2026-11-24t09:00:00.5+01:00', true],
  ['2026-13-24T09:00:00Z', false],
  ['2026-11-24', false],
  ['1.2', true],
  ['v1.2.3', false],
  ['0x10', false],
  ['', false],
])('%s can be compared: %s', (value, comparable) => {
  expect(isComparable(value)).toBe(comparable);
});
