import { describe, expect, it } from 'vitest';
import { mayEditRules, mayGuard, mayRequest, mayToggle } from './permissions';

describe('who may switch', () => {
  const stored = [{ env_id: 'production', can_toggle: false, can_edit_rules: true }];

  it('needs the permission', () => {
    expect(
      mayToggle({ role: 'owner', permissions: ['flags.read'], environment_permissions: [] }, 'dev'),
    ).toBe(false);
  });

  it('a developer may where nothing is stored, and not where it is forbidden', () => {
    const me = { role: 'developer', permissions: ['flags.toggle'], environment_permissions: stored } as const;
    expect(mayToggle({ ...me, permissions: [...me.permissions] }, 'dev')).toBe(true);
    expect(mayToggle({ ...me, permissions: [...me.permissions] }, 'production')).toBe(false);
  });

  it('what is stored does not bind an admin', () => {
    const me = { role: 'admin', permissions: ['flags.toggle'], environment_permissions: stored } as const;
    expect(mayToggle({ ...me, permissions: [...me.permissions] }, 'production')).toBe(true);
  });
});

it('editing rules is allowed apart from switching', () => {
  const stored = [{ env_id: 'production', can_toggle: true, can_edit_rules: false }];
  const me = {
    role: 'developer' as const,
    permissions: ['flags.edit_rules'],
    environment_permissions: stored,
  };
  expect(mayEditRules(me, 'dev')).toBe(true);
  expect(mayEditRules(me, 'production')).toBe(false);
  expect(mayEditRules({ ...me, role: 'admin' }, 'production')).toBe(true);
  expect(mayEditRules({ ...me, permissions: ['flags.toggle'] }, 'dev')).toBe(false);
  expect(mayRequest(me)).toBe(false);
  expect(mayRequest({ permissions: ['approvals.create'] })).toBe(true);
});

it('owners and admins who may review decide how environments are guarded', () => {
  expect(mayGuard({ role: 'admin', permissions: ['approvals.review'] })).toBe(true);
  expect(mayGuard({ role: 'admin', permissions: ['environments.create'] })).toBe(false);
  expect(mayGuard({ role: 'developer', permissions: ['approvals.review'] })).toBe(false);
});
