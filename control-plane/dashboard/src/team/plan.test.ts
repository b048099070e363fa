import { expect, it } from 'vitest';
import { lacking } from './plan';

it.each([
  ['mfa requires the pro plan', { feature: 'mfa', plan: 'pro' }],
  ['custom roles require the enterprise plan', { feature: 'custom roles', plan: 'enterprise' }],
  ['the plan allows 3 projects', null],
  ['', null],
])('"%s" lacks %j', (message, expected) => {
  expect(lacking(message)).toEqual(expected);
});
