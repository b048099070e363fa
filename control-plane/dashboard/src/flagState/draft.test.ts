import { expect, it } from 'vitest';
import type { FlagState, Rule } from '../api/model';
import { draftOf, numbered } from './draft';
import { isSame } from './isSame';

const rule = (id: string, priority: number | null): Rule => ({
  id,
  priority,
  description: '',
  conditions: [],
  segment_keys: [],
  percentage: 10_000,
  match_type: 'all',
});

const state: FlagState = {
  id: '0190a5d6-7c4b-7e1a-9d3f-2b6c8e4f1a70',
  enabled: true,
  default_value: null,
  rules: [rule('late', 20), rule('first', 5), rule('tie', 20)],
  percentage_rollout: 2500,
  variants: [],
  scheduled_enable_at: null,
  scheduled_disable_at: null,
  updated_at: '2026-01-02T15:04:05Z',
};

it('a draft has what the PUT takes, with rules in the order in which they are tried', () => {
  const draft = draftOf(state);
  expect(Object.keys(draft)).not.toContain('id');
  expect(Object.keys(draft)).not.toContain('updated_at');
  expect(draft.rules.map(({ id, priority }) => [id, priority])).toEqual([
    ['first', 0],
    ['late', 1],
    ['tie', 2],
  ]);
});

it('a rule without a priority has its place as one', () => {
  const rules = [rule('c', 2), rule('b', null), rule('a', 0)];
  expect(draftOf({ ...state, rules }).rules.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
});

it('a state that is not stored is off and has nothing', () => {
  expect(draftOf({ enabled: false })).toEqual({
    enabled: false,
    default_value: null,
    rules: [],
    percentage_rollout: null,
    variants: [],
    scheduled_enable_at: null,
    scheduled_disable_at: null,
  });
});

it('numbers rules by their places', () => {
  expect(numbered([rule('a', 7), rule('b', 7)]).map(({ priority }) => priority)).toEqual([0, 1]);
});

it.each([
  [{ a: 1, b: [true, null] }, { b: [true, null], a: 1 }, true],
  [{ a: 1 }, { a: 1, b: undefined }, true],
  [{ a: 1 }, { a: 1, b: null }, false],
  [[1, 2], [2, 1], false],
  [[], {}, false],
  [null, {}, false],
  ['1', 1, false],
  [[{ a: {} }], [{ a: {} }], true],
])('compares %j and %j as JSON', (a, b, same) => {
  expect(isSame(a, b)).toBe(same);
});
