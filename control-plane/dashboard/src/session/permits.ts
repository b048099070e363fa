/** The permissions of roles, to name the roles that may when this one may not. The service decides. */
import type { Me } from './me';

export type Permit =
  | 'projects.create'
  | 'projects.delete'
  | 'environments.create'
  | 'environments.delete'
  | 'segments.write'
  | 'api_keys.manage'
  | 'rehearsals.run'
  | 'members.manage'
  | 'roles.manage'
  | 'webhooks.manage'
  | 'migration.run'
  | 'billing.manage';

const EDITORS = ['owner', 'admin', 'developer'];
const MANAGERS = ['owner', 'admin'];

const ROLES: Record<Permit, readonly string[]> = {
  'projects.create': EDITORS,
  'projects.delete': MANAGERS,
  'environments.create': EDITORS,
  'environments.delete': MANAGERS,
  'segments.write': EDITORS,
  'api_keys.manage': MANAGERS,
  'rehearsals.run': MANAGERS,
  'members.manage': MANAGERS,
  'roles.manage': MANAGERS,
  'webhooks.manage': MANAGERS,
  'migration.run': MANAGERS,
  'billing.manage': ['owner'],
};

export type Denial =
  /** The role never has it; these have. */
  | { kind: 'role'; role: string; roles: readonly string[] }
  /** The role has it, but a custom role narrows it. */
  | { kind: 'custom' };

/** Why this person may not do something; `null` when they may. */
export function denial(me: Pick<Me, 'permissions' | 'role'>, permit: Permit): Denial | null {
  if (me.permissions.includes(permit)) return null;
  const roles = ROLES[permit];
  return roles.includes(me.role) ? { kind: 'custom' } : { kind: 'role', role: me.role, roles };
}
