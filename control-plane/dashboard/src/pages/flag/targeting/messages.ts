import type { FlagType, Rule } from '../../../api/model';
import { conditionWords } from '../../../conditions/messages';
import { shownValue, type WrongValue } from '../../../flagState/values';
import { agoToTheSecond, basisPoints, list, number, plural } from '../../../messages/format';
import type { Problem } from './checks';
import type { Rest } from './explained';

const WRONG: Record<WrongValue, string> = {
  number: 'Enter a number.',
  json: 'Enter valid JSON. Text needs double quotes.',
  structure: 'Enter a JSON object or list.',
  null: 'null means “not set” here. Choose “Not set” instead.',
  boolean: 'Choose true or false.',
  string: 'Enter text.',
};

function who(rule: Rule, segmentName: (key: string) => string): string {
  const conditions = rule.conditions
    .map(conditionWords.condition)
    .join(rule.match_type === 'any' ? ' or ' : ' and ');
  const names = rule.segment_keys.map(segmentName);
  const isGrouped = rule.match_type === 'any' && names.length > 0 && rule.conditions.length > 1;
  const whose = isGrouped ? `(${conditions})` : conditions;
  const segments =
    names.length > 1 ? ` in any of the segments ${names.join(', ')}` : ` in the segment ${names[0]}`;
  return `users${names.length === 0 ? '' : segments}${conditions === '' ? '' : ` where ${whose}`}`;
}

/** A value that is not known yet is that of the rules without one. */
function served(value: unknown): string {
  return value === undefined ? 'the default' : shownValue(value);
}

function matched(rule: Rule, segmentName: (key: string) => string): string {
  const isEveryone = rule.conditions.length === 0 && rule.segment_keys.length === 0;
  const whom = who(rule, segmentName);
  if (rule.percentage === 10_000) return isEveryone ? 'everyone' : whom;
  return `${basisPoints(rule.percentage)} of ${isEveryone ? 'all users' : whom}`;
}

function problem(of: Problem): string {
  switch (of.kind) {
    case 'attribute':
    case 'values':
      return conditionWords.problem(of);
    case 'value':
      return WRONG[of.why];
    case 'weights':
      return `The shares add up to ${basisPoints(of.sum)}. Make them add up to ${basisPoints(10_000)}.`;
    case 'variantKey':
      return 'Enter a key.';
    case 'variantTwice':
      return 'Another variant has this key. Choose a different one.';
  }
}

function rest(of: Rest, hasRules: boolean): string {
  const everyone = hasRules ? 'Everyone else' : 'Everyone';
  switch (of.kind) {
    case 'off':
      return `The flag is off: everyone gets ${shownValue(of.value)}.`;
    case 'nobody':
      return `No users are left: rule ${number(of.place + 1)} serves everyone.`;
    case 'variants':
      if (of.share === 0)
        return `${everyone} gets ${shownValue(of.outside)}: the rollout is ${basisPoints(0)}.`;
      return of.share === 10_000
        ? `${everyone} gets one of the variants.`
        : `${basisPoints(of.share)} of ${hasRules ? 'all other' : 'all'} users get one of the variants, the rest get ${shownValue(of.outside)}.`;
    case 'value':
      if (of.share === 0)
        return `${everyone} gets ${shownValue(of.outside)}: the rollout is ${basisPoints(0)}.`;
      return of.share === 10_000
        ? `${everyone} gets ${shownValue(of.value)}.`
        : `${basisPoints(of.share)} of ${hasRules ? 'all other' : 'all'} users get ${shownValue(of.value)}, the rest get ${shownValue(of.outside)}.`;
  }
}

/** The text of the targeting tab. */
export const ruleWords = {
  targeting: (environment: string) => `Targeting in ${environment}`,
  isOn: (isOn: boolean) => (isOn ? 'On' : 'Off'),
  rest,
  needs: (keys: readonly string[]) =>
    `Users see this flag only if ${list(keys)} ${keys.length === 1 ? 'is' : 'are all'} on for them. Everyone else gets the default value.`,
  contest: (group: string) =>
    `A user gets at most one flag from the group ${group}. Users who get another one get the default value here.`,

  rules: () => 'Rules',
  rulesText: () => 'Rules are tried from top to bottom. The first one that matches decides.',
  noRules: () => 'No rules yet. A rule gives some users a different value.',
  addRule: () => 'Add a rule',
  ruleName: (rule: Rule, place: number) =>
    rule.description === '' ? `Rule ${number(place + 1)}` : rule.description,
  ruleTitle: (name: string, place: number) => `Rule ${number(place + 1)}: ${name}`,
  serves: (rule: Rule, value: unknown, segmentName: (key: string) => string) =>
    `Serves ${served(rule.value === undefined ? value : rule.value)} to ${matched(rule, segmentName)}.`.replace(
      /…\.$/,
      '…',
    ),
  edit: (name: string) => `Edit ${name}`,
  close: (name: string) => `Close ${name}`,
  actionsOf: (name: string) => `Actions for ${name}`,
  moveHandle: (name: string) => `Move ${name}`,
  moveHint: () => 'Drag, or use the arrow keys',
  moveUp: () => 'Move up',
  moveDown: () => 'Move down',
  moveTop: () => 'Move to the top',
  moveBottom: () => 'Move to the bottom',
  duplicate: () => 'Duplicate',
  remove: () => 'Remove',
  movedTo: (name: string, place: number, of: number) =>
    `${name} is now rule ${number(place + 1)} of ${number(of)}.`,
  removedRule: (name: string) => `${name} is removed. Save to apply it, or discard to undo.`,
  emptySegments: (keys: readonly string[]) =>
    `The segment ${list(keys.map(key => `“${key}”`))} has no conditions, so no users are in it.`,
  problem,
  wrong: (why: WrongValue) => WRONG[why],

  name: () => 'Name',
  namePlaceholder: () => 'Optional, for example “Beta testers”',
  conditions: () => 'Users who match',
  noConditions: () => 'No conditions: all users match.',
  noConditionsInSegment: () => 'No conditions: all users in the segments below match.',
  match: () => 'How conditions combine',
  matchAll: () => 'all of these conditions',
  matchAny: () => 'any of these conditions',
  joint: (isAny: boolean) => (isAny ? 'or' : 'and'),
  addCondition: () => 'Add a condition',

  segments: () => 'Segments',
  segmentsText: () => 'Matches users in any of these segments. Leave empty for everyone.',
  addSegment: () => 'Add a segment',
  noSegments: () => 'This project has no segments yet.',
  removeSegment: (name: string) => `Remove the segment ${name}`,

  serve: () => 'Serve',
  to: () => 'Rollout',
  toText: (points: number) =>
    points === 10_000
      ? 'All users who match.'
      : points === 0
        ? 'No users: the rule serves nobody.'
        : 'The same users stay in as it grows. The others go on to the next rule.',
  percentSign: () => '%',
  notPercent: () => 'Enter a number from 0 to 100 with at most two decimals.',
  aValue: () => 'A specific value',
  notSetMeans: (value: unknown) =>
    value === undefined ? 'Not set' : `Not set, which serves ${shownValue(value)}`,
  ofType: (type: FlagType) => (type === 'string' ? 'Text' : type === 'number' ? 'Number' : 'JSON'),
  isTrue: () => 'true',
  isFalse: () => 'false',

  onceOn: (text: string) => `Once the flag is on: ${text.charAt(0).toLowerCase()}${text.slice(1)}`,
  restTitle: (hasRules: boolean) => (hasRules ? 'Everyone else' : 'Everyone'),
  environmentValue: (environment: string) => `Value in ${environment}`,
  environmentValueText: (value: unknown) =>
    `When the flag is off, everyone gets its default value, ${shownValue(value)}.`,
  rollout: () => 'Rollout',
  rolloutUnset: () => 'Everyone',
  rolloutSet: () => 'A percentage of users',
  rolloutShare: () => 'Percentage',
  rolloutText: (points: number, value: unknown) =>
    points === 0
      ? `No users get it: everyone gets the flag’s default value, ${shownValue(value)}.`
      : `The same users stay in as it grows. The others get the flag’s default value, ${shownValue(value)}.`,

  abText: () =>
    'Users whom no rule matches are split over variants. The default value is served when the flag is off. Flags of other types have no variants.',
  splitText: () =>
    'Only A/B flags have variants. To split users over values here, add rules without conditions: 25% in the first and 50% in the second give a quarter of users each value.',
  variants: () => 'Variants',
  variantsText: (hasRules: boolean) =>
    hasRules
      ? 'Users whom no rule matches are split over the variants. Each user always gets the same one.'
      : 'Users are split over the variants. Each user always gets the same one.',
  variantsIgnored: () => 'Only A/B flags use variants. These are stored and have no effect.',
  noVariants: () => 'No variants yet, so everyone gets the value below.',
  clearVariants: () => 'Remove these variants',
  addVariant: () => 'Add a variant',
  variant: (place: number) => `Variant ${number(place + 1)}`,
  variantKey: () => 'Key',
  variantValue: () => 'Value',
  weight: () => 'Share',
  removeVariant: (key: string, place: number) =>
    `Remove ${key === '' ? `variant ${number(place + 1)}` : key}`,
  even: () => 'Split evenly',
  weightsBar: (parts: readonly { key: string; weight: number }[]) =>
    parts.map(({ key, weight }) => `${key} ${basisPoints(weight)}`).join(', '),
  weightsSum: (sum: number) => `Total: ${basisPoints(sum)}.`,
  changeVariant: (points: number) => `${basisPoints(points)} of users change variant.`,

  schedule: () => 'Schedule',
  scheduleText: () => 'Times are in this time zone:',
  enableAt: () => 'Turn on at',
  disableAt: () => 'Turn off at',
  timePast: () => 'This time has passed: it happens as soon as you save.',
  onAlready: () => 'The flag is on already, so this does nothing.',
  offAlready: () => 'The flag is off already, so this does nothing.',

  dirty: (environment: string) => `Unsaved changes in ${environment}.`,
  save: () => 'Save',
  addToSet: () => 'Add to a change set',
  review: () => 'Review and save',
  saveIn: (environment: string) => `Save in ${environment}`,
  discard: () => 'Discard',
  requestApproval: () => 'Request approval',
  reviewTitle: (key: string, environment: string) => `Change ${key} in ${environment}?`,
  saved: (key: string, environment: string, edges: number) =>
    edges === 0
      ? `${key} is saved in ${environment}.`
      : `${key} is saved in ${environment}, confirmed by ${plural(edges, 'edge', 'edges')}.`,
  savedLagging: (key: string, environment: string, edges: string) =>
    `${key} is saved in ${environment}. Not there yet: ${edges}.`,
  openRequest: () => 'Open request',
  requested: (environment: string) => `Approval requested. ${environment} changes once someone approves it.`,
  /** Absent when neither is forbidden. */
  mayNot: (environment: string, isSwitch: boolean, isRules: boolean): string | undefined => {
    if (!isSwitch && !isRules) return undefined;
    const deeds = isSwitch && isRules ? 'change' : isSwitch ? 'switch or schedule' : 'change the rules of';
    return `You can’t ${deeds} flags in ${environment}.`;
  },
  byApproval: (environment: string) => `${environment} is protected: changes need approval.`,
  mayNotEdit: () => 'You can view flags, not change them. Ask an owner or admin for access.',
  butRequest: () => 'You can draft a change and request approval.',
  behind: (name: string | null, at: string, now: number) =>
    name === null ? `Changed ${agoToTheSecond(at, now)}.` : `Changed ${agoToTheSecond(at, now)} by ${name}.`,
  behindText: () => 'Your draft is kept. Review both before you save.',
  behindUnknown: () => 'Someone else changed this flag.',
  show: () => 'Show',
};
