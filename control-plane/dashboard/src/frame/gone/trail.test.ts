import { expect, it } from 'vitest';
import { deletionOf } from './trail';

const ENTRIES = [
  { resource_id: '3', before_state: { key: 'other' } },
  { resource_id: '2', before_state: { key: 'checkout', slug: null } },
  { resource_id: '1', before_state: { key: 'checkout' } },
  { resource_id: '0', before_state: { slug: 'dev' } },
  { resource_id: null, before_state: null },
];

it.each([
  ['checkout', '2'],
  ['dev', '0'],
  ['1', '1'],
  ['never', undefined],
])('%s is found as the newest of its name', (named, id) => {
  expect(deletionOf(ENTRIES, named)?.resource_id).toBe(id);
});
