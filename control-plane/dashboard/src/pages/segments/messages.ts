import { condition, operatorName, type ToldCondition } from '../../diff/messages';
import { words as w } from '../../diff/sentence';
import { ago, list, number, plural, sentence } from '../../messages/format';

export const segments = {
  title: () => 'Segments',
  lead: () => 'A segment names a group of users once, for the rules of all flags in the project.',
  count: (total: number) => plural(total, 'segment', 'segments'),
  search: () => 'Search key, name or description',
  table: () => 'Segments of this project',
  segment: () => 'Segment',
  who: () => 'Members',
  nobody: () => 'No members: it has no conditions',
  conditionCount: (count: number, isAny: boolean) =>
    count === 1
      ? 'Users who match one condition'
      : `Users who match ${isAny ? 'any' : 'all'} of ${number(count)} conditions`,
  changed: () => 'Changed',
  ago: (iso: string, now: number) => ago(iso, now),
  create: () => 'Create a segment',
  created: (key: string) => `${key} is created. It has no members until you add conditions.`,
  name: () => 'Name',
  keyText: () => 'Rules refer to it by this key. It cannot be changed later.',
  description: () => 'Description',
  emptyTitle: () => 'No segments yet',
  empty: () => 'A segment names a group of users once, so that many flags can use it and change together.',
  noneTitle: () => 'No segment matches',
  none: (text: string) => `Nothing has “${text}” in its key, name or description.`,
  clear: () => 'Clear the search',
  cut: (shown: number) => `The first ${number(shown)} segments are shown and searched; there are more.`,

  back: () => 'All segments',
  copyKey: () => 'Copy the key',
  membership: () => 'Members',
  match: () => 'Include users who match',
  matchAll: () => 'all conditions',
  matchAny: () => 'any condition',
  noConditions: () => 'Without conditions the segment has no members.',
  addCondition: () => 'Add a condition',
  unsaved: () => 'Not saved',
  drop: () => 'Discard',
  saved: (key: string) => `${key} is saved.`,
  leaveName: () => 'this segment',

  usesTitle: () => 'Used by',
  usesNobody: () => 'No flag uses it. A change has no effect until a rule names it.',
  uses: (flags: number, environments: number) =>
    `${plural(flags, 'flag', 'flags')} in ${plural(environments, 'environment', 'environments')}`,
  usesIn: (names: readonly string[]) => `in ${list(names)}`,
  usesMore: (count: number) => `and ${plural(count, 'flag', 'flags')} more`,
  unknownEnvironment: () => 'an environment that is gone',

  reviewTitle: (key: string) => `Save ${key}?`,
  reviewChange: (flags: number, environments: number) =>
    `${plural(flags, 'flag', 'flags')} in ${plural(environments, 'environment', 'environments')} ${flags === 1 ? 'changes' : 'change'} right away:`,
  reviewNamesOnly: () => 'Its members stay the same, so no flag changes.',
  reviewNoUse: () => 'No flag uses it, so no flag changes.',
  changes: () => 'Changes',
  save: () => 'Save',
  saveIt: () => 'Save the segment',

  testTitle: () => 'Test it',
  testText: () => 'Checks whether a user would be in the segment as it stands here, saved or not.',
  testKey: () => 'User key',
  testValue: () =>
    'Numbers, true, false and lists such as ["a", "b"] are read as such. An empty field is a missing attribute.',
  testRun: () => 'Test',
  testIn: (key: string) => `${key} is in the segment.`,
  testOut: (key: string) => `${key} is not in the segment.`,
  verdict: (condition: string, isMet: boolean) => `${condition}: ${isMet ? 'met' : 'not met'},`,
  testMissing: () => 'the attribute is missing',
  testSaw: (value: string) => `saw ${value}`,
  testNoFlag: () => 'It needs a flag in the project that has no prerequisites and no exclusion group.',
  testNoEnvironment: () => 'It needs an environment in the project.',
  testNoReader: () => 'Your role may not explain flags.',

  deleteTitle: (key: string) => `Delete ${key}?`,
  delete: () => 'Delete the segment',
  deleteUnused: () => 'No flag uses it. This cannot be undone.',
  deleteUsed: () =>
    'Rules that use it stop matching right away: users who match by this segment alone get another value. This cannot be undone. It is used by:',
  deleted: (key: string) => `${key} is deleted.`,
  sentence: (text: string) => sentence(text),
};

/** Text about the effects of a save. */
export const segmentChanges = {
  name: (a: string, b: string) => w`Name: ${a} → ${b}`,
  description: (a: string, b: string) =>
    a === ''
      ? w`Description added: ${b}`
      : b === ''
        ? w`Description removed: ${a}`
        : w`Description: ${a} → ${b}`,
  match: (isAny: boolean) =>
    isAny
      ? w`Users must match any condition instead of all`
      : w`Users must match all conditions instead of any`,
  added: (what: ToldCondition) => w`Added the condition ${condition(what)}`,
  removed: (what: ToldCondition) => w`Removed the condition ${condition(what)}`,
  condition: (a: ToldCondition, b: ToldCondition) => w`${condition(a)} → ${condition(b)}`,
  valuesAdded: ({ attribute, operator }: ToldCondition, values: readonly string[]) =>
    w`Added ${list(values)} to ${attribute} ${[operatorName(operator)]}`,
  valuesRemoved: ({ attribute, operator }: ToldCondition, values: readonly string[]) =>
    w`Removed ${list(values)} from ${attribute} ${[operatorName(operator)]}`,
  reordered: () => w`Conditions are in another order; the members stay the same`,
  emptied: () => w`It has no members any more`,
};
