import { expect, it } from 'vitest';
import { placeOf, problemsOf } from './fields';

const IN = { attribute: 'country', operator: 'in', values: ['DE'] };

it('conditions that the service takes have no problem', () => {
  const conditions = [
    IN,
    { attribute: 'plan', operator: 'neq', values: [] },
    { attribute: 'plan', operator: 'exists', values: [] },
    { attribute: 'email', operator: 'regex', values: ['@acme[.]test$'] },
  ];
  expect(problemsOf(conditions).size).toBe(0);
});

it('each field that would be refused is named', () => {
  const conditions = [IN, { ...IN, attribute: ' ' }, { ...IN, values: [] }];
  expect([...problemsOf(conditions)]).toEqual([
    ['rules[1].attribute', { kind: 'attribute' }],
    ['rules[2].values', { kind: 'values' }],
  ]);
});

it.each([
  ['rules[2].values must not be empty', 'rules[2].values'],
  ['rules[0].attribute is required', 'rules[0].attribute'],
  ['rules[0].a value must have at most 1024 characters', 'rules[0].values'],
  ['rules must have at most 1000 items', null],
  ['name is required', null],
])('%j is about %s', (message, place) => {
  expect(placeOf(message)).toBe(place);
});
