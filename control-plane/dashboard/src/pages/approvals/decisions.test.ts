import { expect, it } from 'vitest';
import { isWithdrawn, roleIn } from './decisions';

const pending = { status: 'pending', requestor_id: 'ada', approvals: [], required_approvals: 2 } as const;
const given = { reviewer_id: 'grace', note: null, reviewed_at: '2026-01-01T00:00:00Z' };
const reviewer = { id: 'grace', permissions: ['approvals.review'] };

it('a rejection by the requester is a withdrawal', () => {
  const closed = { status: 'rejected', requestor_id: 'ada' } as const;
  expect(isWithdrawn({ ...closed, reviewer_id: 'ada' })).toBe(true);
  expect(isWithdrawn({ ...closed, reviewer_id: 'grace' })).toBe(false);
  expect(isWithdrawn({ ...closed, status: 'pending', reviewer_id: null })).toBe(false);
});

it.each([
  [pending, reviewer, 'reviewer'],
  [pending, { id: 'ada', permissions: ['approvals.review'] }, 'own'],
  [pending, { id: 'alan', permissions: [] }, 'reader'],
  [{ ...pending, approvals: [given] }, reviewer, 'approved'],
  // One is enough by now, so the same person may apply it.
  [{ ...pending, approvals: [given], required_approvals: 1 }, reviewer, 'reviewer'],
  [{ ...pending, status: 'applied' as const }, reviewer, 'none'],
])('%#: %o', (approval, me, role) => {
  expect(roleIn({ ...approval, approvals: [...approval.approvals] }, me)).toBe(role);
});
