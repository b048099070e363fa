import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ROLES, type Role } from '../queries';
import { GROUPS, KEYS, keysOf, openTo, withGroup, withKey } from './keys';
import { roles as words } from './messages';

interface Access {
  roles: Role[];
  permissions: string[];
}

/** A key that a field of a body takes is in no operation's access. */
const OF_FIELDS: [string, Set<Role>][] = [['what_if.examples', new Set(['owner', 'admin'])]];

/** The roles for which some operation with the key is open, as the API document says. */
function documented(): Map<string, Set<Role>> {
  const path = new URL('../../../../../../docs/openapi.json', import.meta.url);
  const document = JSON.parse(readFileSync(path, 'utf8')) as {
    paths: Record<string, Record<string, { 'x-access'?: Access }>>;
  };
  const all = Object.values(document.paths)
    .flatMap(operations => Object.values(operations))
    .map(({ 'x-access': access }) => ({
      roles: access?.roles ?? [],
      permissions: access?.permissions ?? [],
    }));
  // One that takes any of several keys may be open to more roles than the others with such a key.
  const alone = rolesByKey(all.filter(({ permissions }) => permissions.length === 1));
  return new Map([...rolesByKey(all), ...alone, ...OF_FIELDS]);
}

function rolesByKey(all: readonly Access[]): Map<string, Set<Role>> {
  const found = new Map<string, Set<Role>>();
  for (const { roles, permissions } of all) {
    for (const key of permissions) {
      const open = found.get(key) ?? new Set<Role>();
      for (const role of roles) open.add(role);
      found.set(key, open);
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
