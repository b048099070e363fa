import { describe, expect, it } from 'vitest';
import type { Rule } from '../../../api/model';
import { asksForAbsence, CHOICES, choiceOf, valuesOf, withChoice } from '../../../conditions/operators';
import {
  added,
  attributesOf,
  changed,
  duplicated,
  moved,
  newRule,
  newRuleId,
  placeAt,
  removed,
  splitValues,
} from './edit';

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

it.each([
  ['DE', false, ['DE']],
  [' DE , AT,\nCH\r\n', false, ['DE', 'AT', 'CH']],
  ['DE,DE', false, ['DE']],
  ['"Smith, Ada", Bob', false, ['Smith, Ada', 'Bob']],
  ['"say ""hi"""', false, ['say "hi"']],
  ['5" pipe', false, ['5" pipe']],
  ['a{1,3}\nb ', true, ['a{1,3}', 'b ']],
  [' , ', false, []],
])('%j holds the values', (text, isPattern, values) => {
  expect(splitValues(text, isPattern)).toEqual(values);
});

it('knows the attributes that conditions name, the key first', () => {
  const named = (attribute: string) => ({ attribute, operator: 'eq', values: ['x'] });
  expect(attributesOf([named('plan'), named('key'), named(''), named('age'), named('plan')])).toEqual([
    'key',
    'age',
    'plan',
  ]);
});

describe('operators', () => {
  const condition = { attribute: 'plan', operator: 'in', values: ['a', 'b'] };

  it('each choice is what it makes', () => {
    for (const choice of CHOICES) expect(choiceOf(withChoice(condition, choice))).toBe(choice);
  });

  it('values stay where the operator reads them', () => {
    expect(withChoice(condition, 'notIn').values).toEqual(['a', 'b']);
    expect(withChoice(condition, 'gte').values).toEqual(['a']);
    expect(withChoice(condition, 'missing')).toEqual({ ...condition, operator: 'exists', values: ['false'] });
    expect(withChoice(withChoice(condition, 'missing'), 'in').values).toEqual([]);
  });

  it.each([
    ['exists', [], false],
    ['exists', ['FALSE'], true],
    ['exists', ['false', 'false'], false],
    ['neq', [], true],
    ['neq', ['x'], false],
    ['notIn', [], false],
  ])('%s %j asks for absence: %s', (operator, values, asks) => {
    expect(asksForAbsence({ attribute: 'plan', operator, values })).toBe(asks);
  });

  it('read none, one or many values', () => {
    expect(CHOICES.filter(choice => valuesOf(choice) === 'one')).toEqual(['gt', 'gte', 'lt', 'lte']);
    expect(CHOICES.filter(choice => valuesOf(choice) === 'none')).toEqual(['exists', 'missing']);
  });
});
