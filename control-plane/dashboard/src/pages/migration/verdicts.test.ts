import { expect, it } from 'vitest';
import type { Item } from './queries';
import { csvRows, matching, reasonOf, toRead, total } from './verdicts';

const ITEMS: Item[] = [
  { kind: 'environment', source: 'production', key: 'production', verdict: 'exact', reasons: [] },
  {
    kind: 'flag',
    source: 'New Checkout',
    key: 'new-checkout',
    verdict: 'approximated',
    reasons: ['warning: percentages reach other users'],
  },
  {
    kind: 'flag',
    source: 'with blanks',
    key: null,
    verdict: 'skipped',
    reasons: ['key must start with a letter'],
  },
];

it('items are found by verdict and by all words', () => {
  const found = (verdict: Item['verdict'] | null, text: string) =>
    matching(ITEMS, { verdict, text }).map(({ source }) => source);
  expect(found(null, '')).toHaveLength(3);
  expect(found('skipped', '')).toEqual(['with blanks']);
  expect(found(null, 'users  CHECKOUT')).toEqual(['New Checkout']);
  expect(found('exact', 'checkout')).toEqual([]);
});

it('what is not exact is to be read', () => {
  const counts = { exact: 5, approximated: 2, skipped: 1 };
  expect([total(counts), toRead(counts)]).toEqual([8, 3]);
});

it('a file has a line for each item', () => {
  expect(csvRows(ITEMS)[1]).toEqual([
    'flag',
    'New Checkout',
    'new-checkout',
    'approximated',
    'percentages reach other users',
  ]);
  expect(reasonOf('a warning: inside')).toBe('a warning: inside');
});
