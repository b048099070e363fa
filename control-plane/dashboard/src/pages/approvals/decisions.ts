/** What this person can do with a request, and what was done with it. */
import type { Approval } from './queries';

/** A request that its requester closed is stored as one that they rejected. */
export function isWithdrawn({
  status,
  reviewer_id,
  requestor_id,
}: Pick<Approval, 'status' | 'reviewer_id' | 'requestor_id'>): boolean {
  return status === 'rejected' && reviewer_id === requestor_id;
}

export type Role =
  /** May approve and reject. */
  | 'reviewer'
  /** Made it, and may withdraw it. */
  | 'own'
  /** Approved it already; it takes others. */
  | 'approved'
  /** May not review anything. */
  | 'reader'
  /** It is decided. */
  | 'none';

export function roleIn(
  approval: Pick<Approval, 'status' | 'requestor_id' | 'approvals' | 'required_approvals'>,
  me: { id: string; permissions: readonly string[] },
): Role {
  if (approval.status !== 'pending') return 'none';
  if (approval.requestor_id === me.id) return 'own';
  if (!me.permissions.includes('approvals.review')) return 'reader';
  const has = approval.approvals.some(({ reviewer_id }) => reviewer_id === me.id);
  return has && approval.approvals.length < approval.required_approvals ? 'approved' : 'reviewer';
}
