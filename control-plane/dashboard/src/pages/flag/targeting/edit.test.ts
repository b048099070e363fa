import { describe, expect, it } from 'vitest';
import type { Rule } from '../../../api/model';
import { added, changed, duplicated, moved, newRule, newRuleId, placeAt, removed } from './edit';

const rules = ['a', 'b', 'c', 'd'].map((id, place) => ({ ...newRule(id, true), priority: place }));
const ids = (list: readonly Rule[]) => list.map(({ id }) => id).join('');

describe('the list of rules', () => {
  it.each([
    ['a', 3, 'bcda'],
    ['d', 0, 'dabc'],
    ['b', 2, 'acbd'],
    ['b', 1, 'abcd'],
    ['c', -1, 'cabd'],
    ['c', 9, 'abdc'],
    ['x', 0, 'abcd'],
  ])('moves %s to %i', (id, to, order) => {
    expect(ids(moved(rules, id, to))).toBe(order);
  });

  it('has places as priorities after each change', () => {
    const places = (list: readonly Rule[]) => list.map(({ priority }) => priority);
    expect(places(moved(rules, 'a', 2))).toEqual([0, 1, 2, 3]);
    expect(places(removed(rules, 'b'))).toEqual([0, 1, 2]);
    expect(places(added(rules, newRule('e', true)))).toEqual([0, 1, 2, 3, 4]);
    expect(places(duplicated(rules, 'b', 'e'))).toEqual([0, 1, 2, 3, 4]);
  });

  it('puts a copy behind what it is of', () => {
    expect(ids(duplicated(rules, 'b', 'x'))).toBe('abxcd');
  });

  it('changes one rule', () => {
    const next = changed(rules, 'b', { percentage: 5 });
    expect(next.map(({ percentage }) => percentage)).toEqual([10_000, 5, 10_000, 10_000]);
    expect(next[0]).toBe(rules[0]);
  });

  it('has an id for each new rule', () => {
    expect(newRuleId()).toMatch(/^rule-[0-9a-f]{16}$/);
    expect(newRuleId()).not.toBe(newRuleId());
  });
});

it('a card lands between the middles around it', () => {
  expect(placeAt(0, [10, 20])).toBe(0);
  expect(placeAt(15, [10, 20])).toBe(1);
  expect(placeAt(25, [10, 20])).toBe(2);
  expect(placeAt(25, [])).toBe(0);
});
