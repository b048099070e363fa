/** What can be done with a change set, by its status and by a person's permissions. The service decides. */
import { mayDraft } from '../../changeSets/may';
import type { ChangeSet } from '../../changeSets/queries';

export type Deed = 'request' | 'apply' | 'schedule' | 'reopen' | 'undo' | 'rename' | 'delete';

interface Person {
  id: string;
  permissions: readonly string[];
}

const IN_ORDER: Record<ChangeSet['status'], readonly Deed[]> = {
  draft: ['request', 'apply', 'schedule', 'rename', 'delete'],
  pending: ['reopen', 'delete'],
  approved: ['apply', 'schedule', 'reopen', 'delete'],
  scheduled: ['apply', 'schedule', 'reopen', 'delete'],
  applied: ['undo'],
  rejected: ['reopen', 'delete'],
  failed: ['reopen', 'delete'],
};

/** In the order in which they are offered. */
export function deedsOf({ status }: Pick<ChangeSet, 'status'>, me: Person): Deed[] {
  if (!mayDraft(me)) return [];
  return IN_ORDER[status].filter(deed => deed !== 'request' || me.permissions.includes('approvals.create'));
}

export type Role =
  /** May approve and reject. */
  | 'reviewer'
  /** Drafted, edited or requested it. */
  | 'author'
  /** Approved it already; it takes others. */
  | 'approved'
  /** May not review anything. */
  | 'reader'
  /** It waits for no review. */
  | 'none';

export function roleIn(set: Pick<ChangeSet, 'status' | 'author_ids' | 'reviews'>, me: Person): Role {
  if (set.status !== 'pending') return 'none';
  if (set.author_ids.includes(me.id)) return 'author';
  if (!me.permissions.includes('approvals.review')) return 'reader';
  return approvals(set).some(({ reviewer_id }) => reviewer_id === me.id) ? 'approved' : 'reviewer';
}

/** The approvals that it has. */
export function approvals({ reviews }: Pick<ChangeSet, 'reviews'>): ChangeSet['reviews'] {
  return reviews.filter(({ action }) => action === 'approve');
}
