import type { Me } from './me';

/** Whether this person may create flags. */
export function mayCreate(me: Pick<Me, 'permissions'>): boolean {
  return me.permissions.includes('flags.create');
}

/** Whether this person may switch flags in an environment: the role first, then what is stored for the environment. */
export function mayToggle(
  me: Pick<Me, 'permissions' | 'environment_permissions' | 'role'>,
  envId: string,
): boolean {
  if (!me.permissions.includes('flags.toggle')) return false;
  if (me.role === 'owner' || me.role === 'admin') return true;
  return me.environment_permissions.find(({ env_id }) => env_id === envId)?.can_toggle ?? true;
}

/** Whether this person may change rules, rollout, variants and the value of an environment. */
export function mayEditRules(
  me: Pick<Me, 'permissions' | 'environment_permissions' | 'role'>,
  envId: string,
): boolean {
  if (!me.permissions.includes('flags.edit_rules')) return false;
  if (me.role === 'owner' || me.role === 'admin') return true;
  return me.environment_permissions.find(({ env_id }) => env_id === envId)?.can_edit_rules ?? true;
}

/** Whether this person decides how environments are guarded. */
export function mayGuard(me: Pick<Me, 'permissions' | 'role'>): boolean {
  return (me.role === 'owner' || me.role === 'admin') && me.permissions.includes('approvals.review');
}

/** Whether this person may ask others to make a change. */
export function mayRequest(me: Pick<Me, 'permissions'>): boolean {
  return me.permissions.includes('approvals.create');
}
