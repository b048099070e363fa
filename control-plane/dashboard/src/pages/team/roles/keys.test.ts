import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ROLES, type Role } from '../queries';
import { GROUPS, KEYS, keysOf, openTo, withGroup, withKey } from './keys';
import { roles as words } from './messages';

interface Access {
  roles: Role[];
  permissions: string[];
}

/** The roles for which some operation with the key is open, as the API document says. */
function documented(): Map<string, Set<Role>> {
  const path = new URL('../../../../../../docs/openapi.json', import.meta.url);
  const document = JSON.parse(readFileSync(path, 'utf8')) as {
    paths: Record<string, Record<string, { 'x-access'?: Access }>>;
  };
  const found = new Map<string, Set<Role>>();
  for (const operations of Object.values(document.paths)) {
    for (const { 'x-access': access } of Object.values(operations)) {
      for (const key of access?.permissions ?? []) {
        const open = found.get(key) ?? new Set<Role>();
        for (const role of access?.roles ?? []) open.add(role);
        found.set(key, open);
      }
    }
  }
  return found;
}

it('has each key of the API once, with the roles that it is open to', () => {
  const open = documented();
  expect([...KEYS].sort()).toEqual([...open.keys()].sort());
  for (const [key, roles] of open) expect(openTo(key), key).toEqual(ROLES.filter(role => roles.has(role)));
});

it('has words for each key and group', () => {
  for (const key of KEYS) expect(words.key(key), key).not.toBe(key);
  for (const { id } of GROUPS) expect(words.group(id), id).not.toBe(id);
});

it('a custom role only takes away', () => {
  expect(keysOf('viewer', ['flags.read', 'flags.create'])).toEqual(['flags.read']);
  expect(keysOf('owner', null)).toEqual(KEYS);
  expect(keysOf('owner', [])).toEqual([]);
});

it('a group is added as a whole, and taken away when all of it is there', () => {
  const group = { id: 'segments', keys: ['segments.read', 'segments.write'] };
  expect(withGroup(['flags.read', 'segments.read'], group)).toEqual([
    'flags.read',
    'segments.read',
    'segments.write',
  ]);
  expect(withGroup(['segments.write', 'segments.read', 'flags.read'], group)).toEqual(['flags.read']);
  expect(withKey(['a', 'b'], 'a', false)).toEqual(['b']);
  expect(withKey(['a'], 'b', true)).toEqual(['a', 'b']);
});
