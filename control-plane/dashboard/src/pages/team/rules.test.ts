import { expect, it } from 'vitest';
import type { Me } from '../../session/me';
import { ROLES, type Role } from './queries';
import { changeBarrier, removalBarrier, rolesToGive } from './rules';

function person(role: Role, permissions: string[] = ['members.manage']) {
  return { role, permissions, user: { id: 'me' } as Me['user'] };
}

const other = (role: Role, user_id: string | null = 'other') => ({ role, user_id });

it('owners change everybody, admins everybody but owners', () => {
  expect(ROLES.map(role => changeBarrier(person('owner'), other(role)))).toEqual([null, null, null, null]);
  expect(ROLES.map(role => changeBarrier(person('admin'), other(role)))).toEqual(['owner', null, null, null]);
});

it('others change nobody, nor does a role without the permission', () => {
  expect(changeBarrier(person('developer', []), other('viewer'))).toBe('permission');
  expect(changeBarrier(person('owner', []), other('viewer'))).toBe('permission');
});

it('nobody removes themselves', () => {
  expect(removalBarrier(person('owner'), other('owner', 'me'))).toBe('self');
  expect(removalBarrier(person('admin'), other('owner'))).toBe('owner');
  expect(removalBarrier(person('admin'), other('viewer', null))).toBeNull();
});

it('only owners make owners', () => {
  expect(rolesToGive(person('admin'), ROLES)).toEqual(['admin', 'developer', 'viewer']);
  expect(rolesToGive(person('owner'), ROLES)).toEqual(ROLES);
});
