/** Who may change whom. The service decides; the page says why not. */
import type { Me } from '../../session/me';
import type { Role, TeamMember } from './queries';

type Person = Pick<Me, 'permissions' | 'role' | 'user'>;
type Other = Pick<TeamMember, 'role' | 'user_id'>;

export type Barrier = 'permission' | 'owner' | 'self';

/** Why the role of a member may not be changed; `null` if it may. */
export function changeBarrier(me: Person, other: Other): Barrier | null {
  if (!mayManage(me)) return 'permission';
  return other.role === 'owner' && me.role !== 'owner' ? 'owner' : null;
}

/** Why a member may not be removed, or their sessions not be ended here; `null` if they may. */
export function removalBarrier(me: Person, other: Other): Barrier | null {
  return changeBarrier(me, other) ?? (isSelf(me, other) ? 'self' : null);
}

/** The roles that may be given. */
export function rolesToGive(me: Person, roles: readonly Role[]): readonly Role[] {
  return me.role === 'owner' ? roles : roles.filter(role => role !== 'owner');
}

export function mayManage(me: Person): boolean {
  return (me.role === 'owner' || me.role === 'admin') && me.permissions.includes('members.manage');
}

export function isSelf(me: Pick<Me, 'user'>, other: Pick<TeamMember, 'user_id'>): boolean {
  return other.user_id === me.user.id;
}
