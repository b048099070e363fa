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
  who: () => 'Who is in it',
  nobody: () => 'Nobody: it has no conditions',
  conditionCount: (count: number, isAny: boolean) =>
    count === 1
      ? 'Who meets one condition'
      : `Who meets ${isAny ? 'any' : 'all'} of ${number(count)} conditions`,
  changed: () => 'Changed',
  ago: (iso: string, now: number) => ago(iso, now),
  create: () => 'Create a segment',
  created: (key: string) => `${key} is created. Nobody is in it until it has conditions.`,
  name: () => 'Name',
  keyText: () => 'What rules name it by. It cannot be changed later.',
  description: () => 'Description',
  emptyTitle: () => 'No segments yet',
  empty: () => 'A segment names a group of users once, so that many flags can use it and change together.',
  noneTitle: () => 'No segment matches',
  none: (text: string) => `Nothing has “${text}” in its key, name or description.`,
  clear: () => 'Clear the search',
  cut: (shown: number) => `The first ${number(shown)} segments are shown and searched; there are more.`,

  back: () => 'All segments',
  copyKey: () => 'Copy the key',
  membership: () => 'Who is in it',
  match: () => 'Somebody is in it who meets',
  matchAll: () => 'all conditions',
  matchAny: () => 'any condition',
  noConditions: () => 'Without conditions nobody is in the segment.',
  addCondition: () => 'Add a condition',
  unsaved: () => 'Not saved',
  drop: () => 'Drop the changes',
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
    `${plural(flags, 'flag', 'flags')} in ${plural(environments, 'environment', 'environments')} ${flags === 1 ? 'changes' : 'change'} at once:`,
  reviewNamesOnly: () => 'Who is in it stays the same, so no answer changes.',
  reviewNoUse: () => 'No flag uses it, so no answer changes.',
  changes: () => 'What changes',
  save: () => 'Save',
  saveIt: () => 'Save the segment',

  testTitle: () => 'Test it',
  testText: () => 'Says whether somebody would be in the segment as it stands here, saved or not.',
  testKey: () => 'Key of the user',
  testValue: () => 'Numbers, true, false and lists such as ["a", "b"] are read as such. Empty is missing.',
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
    'Rules that name it stop matching by it at once: who got their value by this segment alone gets another one. This cannot be undone. It is used by:',
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
      ? w`Any condition is enough, before it took all`
      : w`It takes all conditions, before any was enough`,
  added: (what: ToldCondition) => w`Added the condition ${condition(what)}`,
  removed: (what: ToldCondition) => w`Removed the condition ${condition(what)}`,
  condition: (a: ToldCondition, b: ToldCondition) => w`${condition(a)} → ${condition(b)}`,
  valuesAdded: ({ attribute, operator }: ToldCondition, values: readonly string[]) =>
    w`Added ${list(values)} to ${attribute} ${[operatorName(operator)]}`,
  valuesRemoved: ({ attribute, operator }: ToldCondition, values: readonly string[]) =>
    w`Removed ${list(values)} from ${attribute} ${[operatorName(operator)]}`,
  reordered: () => w`Conditions are written in another order; who is in it stays the same`,
  emptied: () => w`Nobody is in it any more`,
};
