import { describe, expect, it } from 'vitest';
import { matches, meant, readAction } from './words';

describe('a title', () => {
  it.each([
    ['Go to Flags', 'flags', true],
    ['Go to Flags', 'flags go', true],
    ['Go to Flags', '  ', true],
    ['Crème brûlée', 'creme', true],
    ['Go to Flags', 'flags x', false],
  ])('%s is found by "%s": %s', (title, typed, expected) => {
    expect(matches(title, typed)).toBe(expected);
  });
});

describe('a text', () => {
  it.each([
    ['disable checkout in staging', 'disable', 'checkout', 'staging'],
    ['Turn on new checkout', 'enable', 'new checkout', ''],
    ['switch off checkout in ', 'disable', 'checkout', ''],
    ['kill opt in banner in prod', 'kill', 'opt in banner', 'prod'],
    ['enable ', 'enable', '', ''],
  ])('"%s" is an action', (typed, verb, flag, environment) => {
    expect(readAction(typed)).toEqual({ verb, flag, environment });
  });

  it.each(['checkout', 'enable', 'enabled flags', 'killer', ''])('"%s" is none', typed => {
    expect(readAction(typed)).toBeNull();
  });
});

describe('the environments that are meant', () => {
  const all = [
    { name: 'Development', slug: 'dev' },
    { name: 'Production EU', slug: 'production' },
    { name: 'Pre-production', slug: 'pre' },
  ];

  it.each([
    ['', ['dev', 'production', 'pre']],
    ['prod', ['production']],
    ['DEV', ['dev']],
    ['eu', ['production']],
    ['nowhere', []],
  ])('by "%s" are %j', (typed, slugs) => {
    expect(meant(all, typed).map(({ slug }) => slug)).toEqual(slugs);
  });
});
