import { expect, it } from 'vitest';
import { changedFields, mergeFields } from './mergeFields';

const BASE = { name: 'Dev', slug: 'dev', rules: ['a'] };

it('changes in different places are both kept', () => {
  const mine = { ...BASE, name: 'Development' };
  const theirs = { ...BASE, rules: ['a', 'b'] };
  expect(mergeFields(BASE, mine, theirs)).toEqual({
    merged: { name: 'Development', slug: 'dev', rules: ['a', 'b'] },
    conflicts: [],
  });
});

it('what both changed differently is asked about, and mine meanwhile', () => {
  const mine = { ...BASE, rules: ['c'] };
  const theirs = { ...BASE, rules: ['b'], name: 'D' };
  expect(mergeFields(BASE, mine, theirs)).toEqual({
    merged: { name: 'D', slug: 'dev', rules: ['c'] },
    conflicts: ['rules'],
  });
});

it('what both changed alike is no conflict', () => {
  const both = { ...BASE, name: 'D' };
  expect(mergeFields(BASE, both, both)).toEqual({ merged: both, conflicts: [] });
});

it('an update carries the fields that differ', () => {
  expect(changedFields(BASE, { ...BASE, name: 'D', rules: ['a'] })).toEqual({ name: 'D' });
});

it('the order of the members of a value is no change', () => {
  const base = { rules: { a: 1, b: 2 } };
  const theirs = { rules: { b: 2, a: 1 } };
  expect(changedFields(base, theirs)).toEqual({});
  expect(mergeFields(base, { rules: { a: 1, b: 3 } }, theirs)).toEqual({
    merged: { rules: { a: 1, b: 3 } },
    conflicts: [],
  });
});
