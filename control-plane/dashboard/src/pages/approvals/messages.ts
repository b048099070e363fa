import { ago, dateTime, list, number, plural } from '../../messages/format';

const STATUSES: Record<string, string> = {
  pending: 'Waiting for review',
  approved: 'Approved',
  rejected: 'Rejected',
  applied: 'Applied',
};

const FIELDS: Record<string, string> = {
  enabled: 'on or off',
  default_value: 'default value',
  rules: 'rules',
  percentage_rollout: 'rollout',
  variants: 'variants',
  bucketing: 'bucketing',
  scheduled_enable_at: 'scheduled time to switch on',
  scheduled_disable_at: 'scheduled time to switch off',
};

const fields = (of: readonly string[]) => list(of.map(field => FIELDS[field] ?? field));

export const approvals = {
  title: () => 'Approvals',
  lead: () => 'Flag changes that wait for another member before they take effect.',
  view: () => 'Which requests are shown',
  review: (count: number | undefined) => (count ? `To review (${number(count)})` : 'To review'),
  mine: (count: number | undefined) => (count ? `Mine (${number(count)})` : 'Mine'),
  done: () => 'Done',
  outcome: () => 'Decision',
  outcomes: { applied: 'Applied', rejected: 'Rejected or withdrawn' },
  about: (flag: string) => `Only requests for ${flag}.`,
  showAll: () => 'Show all flags',
  noneToReview: () => 'Nothing to review',
  noneToReviewText: () => 'Requests from other members appear here. Anyone who edits flags can send one.',
  showMine: (count: number) =>
    count === 1 ? 'Show your request that waits' : `Show your ${number(count)} requests that wait`,
  noneOfMine: () => 'You have no requests',
  noneOfMineText: () =>
    'Edit a flag and choose Request approval instead of saving. Protected environments accept changes this way only.',
  noneDone: () => 'No decisions yet',
  noneDoneText: () => 'Requests stay here once they are applied, rejected or withdrawn.',
  more: () => 'Show older requests',
  gone: () => '(deleted)',
  request: (flag: string, environment: string) => `${flag} in ${environment}`,
  asked: (name: string, iso: string, now: number) => `Requested by ${name} ${ago(iso, now)}`,
  decided: (name: string, iso: string, now: number) => `Decided by ${name} ${ago(iso, now)}`,
  approvedSoFar: (given: number, required: number) =>
    `${number(given)} of ${plural(required, 'approval', 'approvals')}`,
  status: (status: string) => STATUSES[status] ?? status,
  withdrawn: () => 'Withdrawn',
  someone: () => 'A former member',

  back: () => 'All approvals',
  openFlag: () => 'Open the flag',
  askedAt: (name: string, iso: string) => `Requested by ${name} on ${dateTime(iso)}`,
  note: () => 'Note',
  protectedBy: (environment: string, people: number) =>
    `${environment} is protected: every change needs approval from ${plural(people, 'other member', 'other members')}.`,
  changes: () => 'What this request changes',
  changesText: () => 'Compared with the flag when the request was made. This comparison never changes.',
  changesNothing: () => 'This request changes nothing in the flag.',
  noBase: () =>
    'This request is older than the record of what it was compared with, so it is compared with the flag as it is now.',
  flagGone: () => 'The flag or the environment was deleted, so this request can only be rejected.',

  movedTitle: () => 'The flag has changed since this request was made',
  moved: (conflicts: readonly string[]) =>
    `Someone changed what this request changes too: ${fields(conflicts)}. Approving it overwrites their change.`,
  since: () => 'Changed since the request',
  ifApproved: () => 'What approving changes now',
  nothingLeft: () => 'Nothing: the flag is already as requested.',
  movedElsewhere: () => 'The flag has changed since this request was made, but not in what it changes.',
  behind: () => 'The flag changed while you were looking at this page.',
  showNow: () => 'Show the current comparison',

  preview: () => 'Preview for a user',
  previewText: () => 'See what one user gets now, and what they get after approval.',
  userKey: () => 'User key',
  attributes: () => 'Attributes (JSON)',
  attributesExample: () => '{"country": "DE"}',
  notJson: () => 'Enter a JSON object, such as {"country": "DE"}.',
  compare: () => 'Compare',
  before: () => 'Now',
  after: () => 'After approval',
  same: () => 'Nothing changes for this user.',
  reason: (reason: string) => reason.toLowerCase().replaceAll('_', ' '),

  reviews: () => 'Review',
  approvedBy: (name: string, iso: string) => `${name} approved on ${dateTime(iso)}`,
  appliedBy: (name: string, iso: string) => `${name} approved and applied it on ${dateTime(iso)}`,
  rejectedBy: (name: string, iso: string) => `${name} rejected it on ${dateTime(iso)}`,
  withdrawnBy: (name: string, iso: string) => `${name} withdrew it on ${dateTime(iso)}`,
  own: () => 'You made this request, so another owner or admin has to review it.',
  mayNot: () => 'Owners and admins review requests. Ask one of them.',
  already: () => 'You approved this request. It needs another reviewer.',
  noteHint: () => 'Optional. The requester gets it by email.',
  overwrite: () => 'Approve and overwrite',
  withdraw: () => 'Withdraw request',
  withdrawTitle: () => 'Withdraw this request?',
  withdrawText: () => 'The flag stays as it is. You can make a new request at any time.',
  approved: () => 'Approved. The change is live.',
  approvedOne: () => 'Approved. It needs another reviewer before it is applied.',
  rejected: () => 'Rejected. The flag stays as it is.',
  withdrew: () => 'Withdrawn. The flag stays as it is.',

  comments: () => 'Comments',
  noComments: () => 'No comments yet.',
  noCommentsAllowed: () => 'Your role can read comments, not write them.',
  commentField: () => 'Comment',
  tooLong: (most: number) => `Use at most ${number(most)} characters for a comment.`,
  send: () => 'Comment',
  wrote: (iso: string, now: number) => ago(iso, now),
};
