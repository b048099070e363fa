import type { Me } from '../session/me';

/** Whether this person may kill flags in an environment: what forbids to switch there forbids this too. */
export function mayKill(
  me: Pick<Me, 'permissions' | 'environment_permissions' | 'role'>,
  envId: string,
): boolean {
  if (!me.permissions.includes('flags.kill')) return false;
  if (me.role === 'owner' || me.role === 'admin') return true;
  return me.environment_permissions.find(({ env_id }) => env_id === envId)?.can_toggle ?? true;
}
