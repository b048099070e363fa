import { describe, expect, it } from 'vitest';
import { mayKill } from './mayKill';

describe('who may kill', () => {
  const forbidden = [{ env_id: 'production', can_toggle: false, can_edit_rules: true }];
  const developer = {
    role: 'developer' as const,
    permissions: ['flags.kill'],
    environment_permissions: forbidden,
  };

  it('needs the permission, not that of switching', () => {
    expect(mayKill(developer, 'dev')).toBe(true);
    expect(mayKill({ ...developer, permissions: ['flags.toggle'] }, 'dev')).toBe(false);
  });

  it('a developer may not where switching is forbidden, an admin may', () => {
    expect(mayKill(developer, 'production')).toBe(false);
    expect(mayKill({ ...developer, role: 'admin' }, 'production')).toBe(true);
  });
});
