/** The permission keys in groups, and the roles for which each has an effect: a custom role only takes away. */
import type { Role } from '../queries';

export interface KeyGroup {
  id: string;
  keys: readonly string[];
}

export const GROUPS: readonly KeyGroup[] = [
  {
    id: 'flags',
    keys: [
      'flags.read',
      'flags.create',
      'flags.update',
      'flags.delete',
      'flags.toggle',
      'flags.edit_rules',
      'flags.promote',
      'flags.kill',
    ],
  },
  { id: 'segments', keys: ['segments.read', 'segments.write'] },
  { id: 'approvals', keys: ['approvals.read', 'approvals.create', 'approvals.review'] },
  { id: 'projects', keys: ['projects.read', 'projects.create', 'projects.delete'] },
  {
    id: 'environments',
    keys: ['environments.read', 'environments.create', 'environments.delete', 'what_if.examples'],
  },
  { id: 'keys', keys: ['api_keys.read', 'api_keys.manage', 'rehearsals.run'] },
  { id: 'members', keys: ['members.read', 'members.manage', 'roles.manage'] },
  { id: 'insight', keys: ['audit.read', 'metrics.read', 'metrics.manage'] },
  { id: 'connections', keys: ['webhooks.manage', 'migration.run'] },
  { id: 'billing', keys: ['billing.read', 'billing.manage'] },
];

const ALL: readonly Role[] = ['owner', 'admin', 'developer', 'viewer'];
const EDITORS: readonly Role[] = ['owner', 'admin', 'developer'];
const MANAGERS: readonly Role[] = ['owner', 'admin'];
const OWNERS: readonly Role[] = ['owner'];

const OPEN_TO: Record<string, readonly Role[]> = {
  'flags.read': ALL,
  'flags.create': EDITORS,
  'flags.update': EDITORS,
  'flags.delete': EDITORS,
  'flags.toggle': EDITORS,
  'flags.edit_rules': EDITORS,
  'flags.promote': EDITORS,
  'flags.kill': EDITORS,
  'segments.read': ALL,
  'segments.write': EDITORS,
  'approvals.read': ALL,
  'approvals.create': EDITORS,
  'approvals.review': MANAGERS,
  'projects.read': ALL,
  'projects.create': EDITORS,
  'projects.delete': MANAGERS,
  'environments.read': ALL,
  'environments.create': EDITORS,
  'environments.delete': MANAGERS,
  'what_if.examples': MANAGERS,
  'api_keys.read': ALL,
  'api_keys.manage': MANAGERS,
  'members.read': ALL,
  'members.manage': MANAGERS,
  'roles.manage': MANAGERS,
  'audit.read': ALL,
  'metrics.read': MANAGERS,
  'metrics.manage': MANAGERS,
  'rehearsals.run': MANAGERS,
  'webhooks.manage': MANAGERS,
  'migration.run': MANAGERS,
  'billing.read': ALL,
  'billing.manage': OWNERS,
};

export const KEYS: readonly string[] = GROUPS.flatMap(({ keys }) => keys);

/** The roles that can use a key; all for one that this page does not know. */
export function openTo(key: string): readonly Role[] {
  return OPEN_TO[key] ?? ALL;
}

/** What a member may do: the keys of their role, cut by a custom role. */
export function keysOf(role: Role, held: readonly string[] | null): string[] {
  return KEYS.filter(key => openTo(key).includes(role) && (held === null || held.includes(key)));
}

/** The keys with a whole group added, or taken away when all of it is there. */
export function withGroup(keys: readonly string[], group: KeyGroup): string[] {
  const rest = keys.filter(key => !group.keys.includes(key));
  const isWhole = group.keys.every(key => keys.includes(key));
  return isWhole ? rest : [...rest, ...group.keys];
}

export function withKey(keys: readonly string[], key: string, isHeld: boolean): string[] {
  const rest = keys.filter(one => one !== key);
  return isHeld ? [...rest, key] : rest;
}
