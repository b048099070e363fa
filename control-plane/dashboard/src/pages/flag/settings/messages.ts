import { number } from '../../../messages/format';

export const settings = {
  title: () => 'The flag itself',
  text: () => 'These hold in every environment.',
  name: () => 'Name',
  nameMissing: () => 'A name is needed.',
  description: () => 'Description',
  tags: () => 'Tags',
  defaultValue: () => 'Default value',
  defaultText: () => 'Served where the flag is off, and to whom nothing else is served.',
  prerequisites: () => 'Needs these flags',
  prerequisitesText: () => 'Keys of flags. Whoever one of them is not on for gets the default value.',
  group: () => 'Exclusion group',
  groupText: () => 'Of the flags of one group a context gets at most one. Empty for none.',
  notRenamed: () => 'Key and type never change.',
  mayNotUpdate: () => 'Your role may not change flags. An owner or admin can change what it may do.',
  review: () => 'Review and save',
  reviewTitle: (key: string) => `Save ${key}?`,
  everywhere: () => 'This changes the flag in every environment at once.',
  save: () => 'Save',
  discard: () => 'Discard',
  saved: (key: string) => `${key} is saved.`,
  unsaved: () => 'Not saved yet',
  behind: () => 'Somebody else saved these fields after you had begun to change them.',
  showBehind: () => 'Show what changed',
  promoteTitle: () => 'Promote',
  promoteText: (environment: string) =>
    `Copies what is stored in ${environment} to another environment: whether it is on, the default value there, rules and rollout.`,
  promoteNothing: (environment: string) =>
    `Nothing is stored in ${environment} yet, so there is nothing to promote.`,
  promoteNowhere: () => 'The project has no other environment.',
  promoteDraft: () => 'What you have not saved in Targeting is not promoted.',
  target: () => 'To environment',
  promoteReview: () => 'Show what would change',
  promoteReviewTitle: (key: string, from: string, to: string) => `Promote ${key} from ${from} to ${to}?`,
  promoteSave: (to: string) => `Promote to ${to}`,
  promoteSame: (to: string) => `${to} is the same already in all that promoting copies.`,
  leftAlone: () => 'Left alone',
  leftAloneText: (to: string) =>
    `Variants and schedules of ${to} stay as they are. To be the same, these would have to change as well:`,
  leftAloneSame: (to: string) => `Variants and schedules of ${to} stay as they are.`,
  promoted: (key: string, from: string, to: string) => `${key} is promoted from ${from} to ${to}.`,
  mayNotPromote: (to: string) => `Your role may not change switches and rules in ${to}.`,
  archiveTitle: () => 'Archive',
  archiveText: () =>
    'Software that still asks for the flag gets what its own code falls back to. It can be restored with its states and its history, or deleted for good, from the archived flags.',
  archive: () => 'Archive the flag',
  archiveReviewTitle: (key: string) => `Archive ${key}?`,
  archiveDependants: (count: number) =>
    count === 1
      ? '1 flag needs this one. It will serve its default value to everyone:'
      : `${number(count)} flags need this one. They will serve their default values to everyone:`,
  archived: (key: string) => `${key} is archived.`,
  archiveMeanwhile: () => 'Somebody else changed the flag meanwhile. Look at it before you archive it.',
  mayNotArchive: () => 'Your role may not archive flags.',
};
