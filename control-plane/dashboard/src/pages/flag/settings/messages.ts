import { number } from '../../../messages/format';

export const settings = {
  title: () => 'Flag details',
  text: () => 'The same in every environment.',
  name: () => 'Name',
  nameMissing: () => 'Enter a name.',
  description: () => 'Description',
  tags: () => 'Tags',
  defaultValue: () => 'Default value',
  defaultText: () => 'Served when the flag is off or no rule matches.',
  group: () => 'Exclusion group',
  groupText: () => 'A user gets at most one flag from the group. Optional.',
  notRenamed: () => 'Key and type can’t be changed.',
  mayNotUpdate: () => 'You can’t change flags. Ask an owner or admin for access.',
  review: () => 'Review and save',
  reviewTitle: (key: string) => `Save ${key}?`,
  everywhere: () => 'This changes the flag in every environment.',
  save: () => 'Save',
  discard: () => 'Discard',
  saved: (key: string) => `${key} is saved.`,
  unsaved: () => 'Unsaved changes',
  behind: () => 'Someone else saved changes to these fields.',
  showBehind: () => 'Show what changed',
  promoteTitle: () => 'Promote',
  promoteText: (environment: string) =>
    `Copies the saved state of ${environment} to another environment: on or off, value, rules and rollout.`,
  promoteNothing: (environment: string) =>
    `Nothing is saved in ${environment} yet, so there is nothing to promote.`,
  promoteNowhere: () => 'The project has no other environment.',
  promoteDraft: () => 'Unsaved changes in Targeting are not promoted.',
  target: () => 'To environment',
  promoteReview: () => 'Review changes',
  promoteReviewTitle: (key: string, from: string, to: string) => `Promote ${key} from ${from} to ${to}?`,
  promoteSave: (to: string) => `Promote to ${to}`,
  promoteSame: (to: string) => `${to} already has the same state, so there is nothing to promote.`,
  leftAlone: () => 'Not copied',
  leftAloneText: (to: string) =>
    `Variants and schedules of ${to} stay as they are. These differences remain:`,
  leftAloneSame: (to: string) => `Variants and schedules of ${to} stay as they are.`,
  promoted: (key: string, from: string, to: string) => `${key} is promoted from ${from} to ${to}.`,
  mayNotPromote: (to: string) => `You can’t change flags in ${to}. Ask an owner or admin for access.`,
  archiveTitle: () => 'Archive',
  archiveText: () =>
    'Apps that still ask for the flag get the fallback in their own code. You can restore it with its states and history, or delete it for good, from the archived flags.',
  archive: () => 'Archive the flag',
  archiveReviewTitle: (key: string) => `Archive ${key}?`,
  archiveDependants: (count: number) =>
    count === 1
      ? '1 flag requires this one. It will serve its default value to everyone:'
      : `${number(count)} flags require this one. They will serve their default values to everyone:`,
  archived: (key: string) => `${key} is archived.`,
  archiveMeanwhile: () => 'Someone else changed this flag. Review the change before you archive it.',
  mayNotArchive: () => 'You can’t archive flags. Ask an owner or admin for access.',
};
