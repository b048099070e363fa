import { expect, it } from 'vitest';
import { plain } from '../../diff/sentence';
import { changesMembership, segmentDifferences } from './differences';
import type { SegmentFields } from './queries';

const BASE: SegmentFields = {
  name: 'Beta',
  description: '',
  match_type: 'all',
  rules: [
    { attribute: 'country', operator: 'in', values: ['DE', 'FR'] },
    { attribute: 'email', operator: 'endsWith', values: ['@acme.test'] },
  ],
};

function told(after: Partial<SegmentFields>): string[] {
  return segmentDifferences(BASE, { ...BASE, ...after }).map(({ mark, words }) => `${mark}: ${plain(words)}`);
}

const [COUNTRY, EMAIL] = BASE.rules as [SegmentFields['rules'][0], SegmentFields['rules'][0]];

it('nothing is said where nothing changes', () => {
  expect(told({})).toEqual([]);
});

it('names, descriptions and the match are told', () => {
  expect(told({ name: 'Gamma', description: 'x', match_type: 'any' })).toEqual([
    'changed: Name: Beta → Gamma',
    'changed: Description added: x',
    'changed: Users must match any condition instead of all',
  ]);
});

it('values that come and go are told one by one', () => {
  expect(told({ rules: [{ ...COUNTRY, values: ['DE', 'IN'] }, EMAIL] })).toEqual([
    'removed: Removed FR from country is one of',
    'added: Added IN to country is one of',
  ]);
});

it('conditions that come, go and change are told', () => {
  expect(told({ rules: [{ ...EMAIL, operator: 'contains' }] })).toEqual([
    'removed: Removed the condition country is one of DE, FR',
    'changed: email ends with @acme.test → email contains @acme.test',
  ]);
  expect(told({ rules: [...BASE.rules, { attribute: 'plan', operator: 'exists', values: [] }] })).toEqual([
    'added: Added the condition plan is present',
  ]);
});

it('another order changes nobody, and no condition leaves nobody', () => {
  expect(told({ rules: [EMAIL, COUNTRY] })).toEqual([
    'changed: Conditions are in another order; the members stay the same',
  ]);
  expect(told({ rules: [] }).at(-1)).toBe('changed: It has no members any more');
});

it.each([
  [{ name: 'Gamma', description: 'x' }, false],
  [{ rules: [EMAIL, COUNTRY] }, false],
  [{ match_type: 'any' as const }, true],
  [{ rules: [COUNTRY] }, true],
])('%j changes who is in it: %s', (after, is) => {
  expect(changesMembership(BASE, { ...BASE, ...after })).toBe(is);
});

it('one condition alone is all and any of them', () => {
  const one = { ...BASE, rules: [EMAIL] };
  expect(changesMembership(one, { ...one, match_type: 'any' })).toBe(false);
});
