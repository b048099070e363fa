import type { Part, Status } from '../../changeSets/queries';
import { ago, dateTime, dateTimeZone, list, number, plural } from '../../messages/format';

const STATUSES: Record<Status, string> = {
  draft: 'Draft',
  pending: 'Waiting for approval',
  approved: 'Approved',
  scheduled: 'Scheduled',
  applied: 'Applied',
  rejected: 'Rejected',
  failed: 'Failed',
};

const KINDS: Record<Part['kind'], string> = {
  environment: 'Environment',
  segment: 'Segment',
  flag: 'Flag',
  state: 'Flag',
};

const REASON = (reason: string) => reason.toLowerCase().replaceAll('_', ' ');

export const words = {
  title: () => 'Change sets',
  lead: () => 'Changes of several flags, segments and environments that are reviewed and applied together.',
  status: () => 'Status',
  anyStatus: () => 'All statuses',
  statuses: STATUSES,
  none: () => 'No change sets yet',
  noneText: () =>
    'Edit a flag and choose “Add to a change set” in place of saving. Everything in a change set takes effect at once, or nothing does.',
  noMatch: () => 'No change set has this status',
  noMatchText: () => 'Choose another status to see more change sets.',
  showAll: () => 'Show all',
  more: () => 'Show older change sets',
  example: () => 'Launch the new checkout',
  by: (names: readonly string[], iso: string, now: number) => `By ${list(names)} · changed ${ago(iso, now)}`,
  approvedSoFar: (given: number, required: number) =>
    `${number(given)} of ${plural(required, 'approval', 'approvals')}`,
  approvedBy: (count: number) => plural(count, 'approval', 'approvals'),
  someone: () => 'A former member',

  back: () => 'All change sets',
  authors: (names: readonly string[]) => `By ${list(names)}`,
  drafted: (iso: string) => `drafted on ${dateTime(iso)}`,
  undoes: () => 'The change set that this one undoes',
  appliedBy: (name: string, iso: string, version: number) =>
    `${name} applied it on ${dateTime(iso)}, as version ${number(version)} of the project.`,
  scheduledFor: (iso: string, name: string) =>
    `It is applied on ${dateTimeZone(iso)}, if ${name} may still do so then.`,
  failed: (why: string) => `It could not be applied at its time: ${why}`,
  unreadable: () => 'Your role may not read flags, segments and environments, so its contents are not shown.',

  changes: () => 'What it changes',
  changed: () => 'What it changed',
  changesText: () => 'Compared with the project as it is now.',
  changedText: () => 'Compared with the project before it was applied.',
  protectedBy: (environments: readonly string[], people: number) =>
    `It has an effect in ${list(environments)}, which ${environments.length === 1 ? 'is' : 'are'} protected: it takes approval from ${plural(people, 'other member', 'other members')}.`,
  mayNotApply: (why: string) => `You could not apply it as it is: ${why}`,
  behind: () => 'What it changes was changed while you were looking at this page.',
  showNow: () => 'Show the current comparison',
  kind: (kind: Part['kind']) => KINDS[kind],
  stateOf: (flag: string, environment: string) => `${flag} in ${environment}`,
  actions: { create: 'Created', update: 'Changed', remove: 'Deleted', keep: 'Unchanged' },
  whole: {
    create: 'It is created.',
    update: 'Other fields change.',
    remove: 'It is deleted.',
    keep: 'It is so already.',
  },
  fields: () => 'Fields before and after',
  fieldsOf: (what: string) => `Fields before and after: ${what}`,

  conflict: () => 'Changed by someone else since the draft',
  field: (name: string) => `Field: ${name.replaceAll('_', ' ')}`,
  thing: () => 'All of it',
  base: () => 'When drafted',
  proposed: () => 'Proposed',
  current: () => 'Now',
  absent: () => 'not there',
  hasConflicts: (count: number) =>
    `${plural(count, 'field was', 'fields were')} changed by someone else since the draft. The places are marked below.`,
  rebase: () => 'Compare with the current state',
  rebaseText: () =>
    'The draft keeps what it proposes, and takes the project as it is now as its starting point. What others changed in the marked places is overwritten once it is applied.',
  rebased: () => 'The draft is compared with the project as it is now.',
  overwrites: (count: number) =>
    `Someone else changed ${plural(count, 'field', 'fields')} since the draft. Their changes in the places that are marked on the page are overwritten.`,

  preview: () => 'What a context would get',
  previewText: () => 'Asks the engine of the edges, with the project as it is now and with this change set.',
  environment: () => 'Environment',
  compare: () => 'Compare answers',
  answers: () => 'Answers before and after',
  flag: () => 'Flag',
  before: () => 'Now',
  after: () => 'With this change set',
  differs: (count: number) =>
    count === 0 ? 'No answer changes for this context.' : plural(count, 'answer changes.', 'answers change.'),
  reason: REASON,
  notFound: () => 'not there',
} as const;

export const deedWords = {
  actions: () => 'Actions',
  request: {
    label: 'Request approval',
    title: 'Request approval?',
    text: 'Owners and admins are asked to review it. It cannot be edited while it waits.',
    done: 'Approval is requested.',
  },
  apply: {
    label: 'Apply now',
    title: 'Apply this change set now?',
    text: 'All of its changes take effect together.',
    done: 'Applied. All changes are live.',
  },
  schedule: { label: 'Apply later', title: 'Apply this change set later', text: '', done: 'Scheduled.' },
  reopen: {
    label: 'Reopen',
    title: 'Make it a draft again?',
    text: 'Its approvals and its time are dropped. It can be edited then.',
    done: 'It is a draft again.',
  },
  undo: {
    label: 'Undo',
    title: 'Undo this change set?',
    text: 'This drafts a change set that puts everything back as it was. Flags that were created are archived. Nothing changes until you apply the draft.',
    done: 'Drafted. Look at it, then apply it.',
  },
  rename: { label: 'Rename', title: 'Name and description', text: '', done: 'Saved.' },
  delete: {
    label: 'Delete',
    title: 'Delete this change set?',
    text: 'The draft and its reviews are gone. Flags, segments and environments stay as they are.',
    done: 'Deleted.',
  },
  rebase: { label: words.rebase(), title: 'Compare with the current state?', done: words.rebased() },
  needsApproval: () => 'Protected environments take approval first.',
  overwrite: () => 'Apply and overwrite',
  description: () => 'Description',
  save: () => 'Save',
  at: () => 'Apply at',
  atText: () =>
    'It is applied at this time if you may still do so then, and nobody has changed the same things by then.',
  atPast: () => 'This time has passed. Choose a later one.',
  scheduleAt: () => 'Schedule',

  reviews: () => 'Review',
  approvedBy: (name: string, iso: string) => `${name} approved on ${dateTime(iso)}`,
  rejectedBy: (name: string, iso: string) => `${name} rejected it on ${dateTime(iso)}`,
  author: () => 'You drafted, edited or requested this, so another owner or admin has to review it.',
  reader: () => 'Owners and admins review change sets. Ask one of them.',
  already: () => 'You approved this. It needs another reviewer.',
  noteHint: () => 'Optional. Everyone who opens the change set sees it.',
  outdated: (count: number) =>
    `Someone else changed ${plural(count, 'field', 'fields')} after the first approval, so this cannot be approved as it is. Reject it, or reopen it, update the draft and request approval again.`,
  approveOver: () => 'Approve and overwrite',
  approved: () => 'Approved. It can be applied now.',
  approvedOne: () => 'Approved. It needs another reviewer.',
  rejected: () => 'Rejected. Nothing was changed.',
};
