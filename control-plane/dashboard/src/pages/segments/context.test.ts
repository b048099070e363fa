import { expect, it } from 'vitest';
import { askedAttributes, contextOf, readValue } from './context';

const at = (attribute: string) => ({ attribute, operator: 'in', values: ['x'] });

it('an attribute is asked for once, and the key never', () => {
  expect(askedAttributes([at('plan'), at('key'), at('country'), at('plan'), at('')])).toEqual([
    'plan',
    'country',
  ]);
});

it.each([
  ['DE', 'DE'],
  [' ', undefined],
  ['5', 5],
  ['"5"', '5'],
  ['true', true],
  ['["a", 1]', ['a', 1]],
  ['{"a": 1}', '{"a": 1}'],
  ['null', 'null'],
  ['1.2.3', '1.2.3'],
])('%j is read as %j', (typed, value) => {
  expect(readValue(typed)).toEqual(value);
});

it('an attribute without a value is missing', () => {
  expect(contextOf('u', { plan: 'pro', country: '', old: 'x' }, ['plan', 'country'])).toEqual({
    key: 'u',
    attributes: { plan: 'pro' },
  });
});
