import { expect, it } from 'vitest';
import { denial } from './permits';

it('nothing is denied that the permissions hold', () => {
  expect(denial({ permissions: ['segments.write'], role: 'developer' }, 'segments.write')).toBeNull();
});

it('a role that never has it names those that do', () => {
  expect(denial({ permissions: [], role: 'developer' }, 'api_keys.manage')).toEqual({
    kind: 'role',
    role: 'developer',
    roles: ['owner', 'admin'],
  });
});

it('a role that has it was narrowed by a custom role', () => {
  expect(denial({ permissions: [], role: 'admin' }, 'projects.create')).toEqual({ kind: 'custom' });
});
