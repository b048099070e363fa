import { describe, expect, it } from 'vitest';
import { attributesOf, separatorIn, splitAt, splitValues } from './edit';
import { asksForAbsence, CHOICES, choiceOf, valuesOf, withChoice } from './operators';

it.each([
  ['DE', false, ['DE']],
  [' DE , AT,\nCH\r\n', false, ['DE', 'AT', 'CH']],
  ['DE,DE', false, ['DE']],
  ['"Smith, Ada", Bob', false, ['Smith, Ada', 'Bob']],
  ['"say ""hi"""', false, ['say "hi"']],
  ['5" pipe', false, ['5" pipe']],
  ['a{1,3}\nb ', true, ['a{1,3}', 'b ']],
  ['CH\tFR\t\nNL', false, ['CH', 'FR', 'NL']],
  ['"a, b"\tc', false, ['a, b', 'c']],
  [' , ', false, []],
])('%j holds the values', (text, isPattern, values) => {
  expect(splitValues(text, isPattern)).toEqual(values);
});

it.each([
  [['CH;FR'], ';', ['CH', 'FR']],
  [['CH; FR', 'DE'], ';', ['CH', 'FR', 'DE']],
  [['ada bob  carl'], ' ', ['ada', 'bob', 'carl']],
  [['DE', 'Ada;'], null, ['DE', 'Ada;']],
] as const)('%j can be split at %j', (values, separator, parts) => {
  expect(separatorIn(values)).toBe(separator);
  expect(separator === null ? values : splitAt(values, values, separator)).toEqual(parts);
});

it('splits what was added last alone', () => {
  expect(splitAt(['New York', 'CH;FR'], ['CH;FR'], ';')).toEqual(['New York', 'CH', 'FR']);
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
