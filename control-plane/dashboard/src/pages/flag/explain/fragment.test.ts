import { describe, expect, it } from 'vitest';
import { contextOf, fragmentOf } from './fragment';

describe('a shared link', () => {
  it.each([
    [{ key: 'user-1', attributes: { 'a&b': 'ü #%+ "x"', n: [1, null] } }],
    [{ key: '', attributes: {} }],
  ])('carries %j', context => {
    const fragment = fragmentOf(context);
    expect(fragment).toMatch(/^#context=[^ #"]+$/);
    expect(contextOf(fragment)).toEqual(context);
  });

  it.each(['', '#', '#main', '#context=', '#context=7', '#context={'])('without a context: %j', fragment => {
    expect(contextOf(fragment)).toBeNull();
  });
});
