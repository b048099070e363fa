import { expect, it } from 'vitest';
import { isProduction } from './isProduction';

it.each([
  ['production', 'Production', true],
  ['prod-eu', 'Europe', true],
  ['eu', 'Live (EU)', true],
  ['staging', 'Staging', false],
  ['delivery', 'Product tests', false],
])('%s, %s: %s', (slug, name, expected) => {
  expect(isProduction({ slug, name })).toBe(expected);
});
