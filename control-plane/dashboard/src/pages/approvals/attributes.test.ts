import { expect, it } from 'vitest';
import { attributesOf } from './attributes';

it.each([
  ['', {}],
  [' ', {}],
  ['{"country": "DE"}', { country: 'DE' }],
  ['[1]', null],
  ['null', null],
  ['country', null],
])('%s', (text, attributes) => {
  expect(attributesOf(text)).toEqual(attributes);
});
