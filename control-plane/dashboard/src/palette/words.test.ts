import { describe, expect, it } from 'vitest';
import { matches, meant, moved, readAction } from './words';

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

describe('a key', () => {
  it.each([
    ['ArrowDown', 0, 3, 1],
    ['ArrowDown', 2, 3, 0],
    ['ArrowUp', 0, 3, 2],
    ['PageDown', 0, 20, 8],
    ['PageDown', 18, 20, 19],
    ['PageUp', 3, 20, 0],
    ['ArrowDown', -1, 0, null],
    ['a', 1, 3, null],
  ])('%s from %i of %i leads to %s', (key, from, count, expected) => {
    expect(moved(key, from, count)).toBe(expected);
  });
});
