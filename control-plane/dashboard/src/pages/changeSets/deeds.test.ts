import { expect, it } from 'vitest';
import { deedsOf, roleIn } from './deeds';

const EDITOR = { id: 'ada', permissions: ['flags.toggle', 'approvals.create'] };
const REVIEWER = { id: 'max', permissions: ['flags.toggle', 'approvals.review'] };

it('offers what the status and the permissions allow', () => {
  expect(deedsOf({ status: 'draft' }, EDITOR)).toEqual(['request', 'apply', 'schedule', 'rename', 'delete']);
  expect(deedsOf({ status: 'draft' }, REVIEWER)).not.toContain('request');
  expect(deedsOf({ status: 'pending' }, EDITOR)).toEqual(['reopen', 'delete']);
  expect(deedsOf({ status: 'approved' }, EDITOR)).toEqual(['apply', 'schedule', 'reopen', 'delete']);
  expect(deedsOf({ status: 'applied' }, EDITOR)).toEqual(['undo']);
  expect(deedsOf({ status: 'draft' }, { id: 'eve', permissions: ['flags.read'] })).toEqual([]);
});

it('is reviewed by somebody else, once', () => {
  const set = { status: 'pending', author_ids: ['ada'], reviews: [] } as const;
  const review = {
    reviewer_id: 'max',
    action: 'approve',
    note: null,
    reviewed_at: '2026-01-02T15:04:05Z',
  } as const;
  const role = (more: object, person = REVIEWER) => roleIn({ ...set, ...more } as never, person);
  expect(role({}, EDITOR)).toBe('author');
  expect(role({})).toBe('reviewer');
  expect(role({ reviews: [review] })).toBe('approved');
  expect(role({}, { id: 'eve', permissions: [] })).toBe('reader');
  expect(role({ status: 'approved' })).toBe('none');
});
