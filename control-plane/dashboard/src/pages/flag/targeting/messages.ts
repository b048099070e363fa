import type { FlagType, Rule } from '../../../api/model';
import { conditionWords } from '../../../conditions/messages';
import { shownValue, type WrongValue } from '../../../flagState/values';
import { agoToTheSecond, basisPoints, list, number, plural } from '../../../messages/format';
import type { Problem } from './checks';
import type { Rest } from './explained';

const WRONG: Record<WrongValue, string> = {
  number: 'This is not a number. The flag serves numbers.',
  json: 'This is not JSON. A text needs double quotes around it.',
  structure: 'The flag serves JSON objects and lists. This is neither.',
  null: 'null means “not set” here. Choose “Not set” for that.',
  boolean: 'The flag serves true or false.',
  string: 'The flag serves texts.',
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
  return `everyone${names.length === 0 ? '' : segments}${conditions === '' ? '' : ` whose ${whose}`}`;
}

/** A value that is not known yet is that of the rules without one. */
function served(value: unknown): string {
  return value === undefined ? 'the default' : shownValue(value);
}

function partOf(points: number): string {
  return points === 10_000 ? '' : `${basisPoints(points)} of `;
}

function problem(of: Problem): string {
  switch (of.kind) {
    case 'attribute':
    case 'values':
      return conditionWords.problem(of);
    case 'value':
      return WRONG[of.why];
    case 'weights':
      return `The shares make ${basisPoints(of.sum)}. They have to make 100 %.`;
    case 'variantKey':
      return 'Give the variant a key.';
    case 'variantTwice':
      return 'Another variant has this key.';
  }
}

function rest(of: Rest, hasRules: boolean): string {
  const everyone = hasRules ? 'Everyone else' : 'Everyone';
  switch (of.kind) {
    case 'off':
      return `The flag is off: everyone gets ${shownValue(of.value)}.`;
    case 'nobody':
      return `Nobody is left: rule ${number(of.place + 1)} takes everyone.`;
    case 'variants':
      if (of.share === 0) return `${everyone} gets ${shownValue(of.outside)}: the rollout is 0 %.`;
      return of.share === 10_000
        ? `${everyone} gets one of the variants.`
        : `${basisPoints(of.share)} of ${everyone.toLowerCase()} get one of the variants, the others ${shownValue(of.outside)}.`;
    case 'value':
      if (of.share === 0) return `${everyone} gets ${shownValue(of.outside)}: the rollout is 0 %.`;
      return of.share === 10_000
        ? `${everyone} gets ${shownValue(of.value)}.`
        : `${basisPoints(of.share)} of ${everyone.toLowerCase()} get ${shownValue(of.value)}, the others ${shownValue(of.outside)}.`;
  }
}

/** The text of the targeting tab. */
export const ruleWords = {
  targeting: (environment: string) => `Targeting in ${environment}`,
  switch: (environment: string) => `On in ${environment}`,
  rest,
  needs: (keys: readonly string[]) =>
    `Only whoever gets ${list(keys)} is served at all; all others get the default.`,
  contest: (group: string) =>
    `Of the flags of the group ${group} that are on, each person gets one; whoever gets another flag gets the default here.`,

  rules: () => 'Rules',
  rulesText: () => 'They are tried from top to bottom. The first one that matches decides.',
  noRules: () => 'There are no rules yet. A rule gives some people another value than everyone else.',
  offTitle: () => 'The flag is off, so no rule is tried.',
  switchOn: () => 'Switch it on',
  addRule: () => 'Add a rule',
  ruleName: (rule: Rule, place: number) =>
    rule.description === '' ? `Rule ${number(place + 1)}` : rule.description,
  ruleTitle: (name: string, place: number) => `Rule ${number(place + 1)}: ${name}`,
  serves: (rule: Rule, value: unknown, segmentName: (key: string) => string) =>
    `Serves ${served(rule.value === undefined ? value : rule.value)} to ${partOf(rule.percentage)}${who(rule, segmentName)}.`.replace(
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
  removedRule: (name: string) => `${name} is removed. Discard or save to finish.`,
  emptySegments: (keys: readonly string[]) =>
    `The segment ${list(keys.map(key => `“${key}”`))} has no conditions, so nobody is in it.`,
  problem,
  wrong: (why: WrongValue) => WRONG[why],

  name: () => 'Name',
  nameText: () => 'Optional. What the rule is for.',
  conditions: () => 'Conditions',
  noConditions: () => 'No condition: everyone matches.',
  noConditionsInSegment: () => 'No condition: everyone in the segment matches.',
  match: () => 'A person matches when',
  matchAll: () => 'all conditions hold',
  matchAny: () => 'at least one condition holds',
  addCondition: () => 'Add a condition',

  segments: () => 'Segments',
  segmentsText: () => 'Whoever is in any of them. Without one, everyone.',
  addSegment: () => 'Add a segment',
  noSegments: () => 'The project has no segments.',
  removeSegment: (name: string) => `Remove the segment ${name}`,

  serve: () => 'Serve',
  to: () => 'To how many of them',
  toText: () => 'The same people stay in as the share grows.',
  percentSign: () => '%',
  notPercent: () => 'A share is a number from 0 to 100 with at most two decimals.',
  aValue: () => 'A value of its own',
  notSetMeans: (value: unknown) =>
    value === undefined ? 'Not set' : `Not set, which serves ${shownValue(value)}`,
  ofType: (type: FlagType) => (type === 'string' ? 'Text' : type === 'number' ? 'Number' : 'JSON'),
  isTrue: () => 'true',
  isFalse: () => 'false',

  onceOn: (text: string) => `Once the flag is on: ${text.charAt(0).toLowerCase()}${text.slice(1)}`,
  restTitle: (hasRules: boolean) => (hasRules ? 'Everyone else' : 'Everyone'),
  environmentValue: (environment: string) => `Value in ${environment}`,
  environmentValueText: (value: unknown) =>
    `When the flag is off, everyone gets its default, ${shownValue(value)}.`,
  rollout: () => 'Rollout',
  rolloutUnset: () => 'Not set: everyone gets the value',
  rolloutSet: () => 'A share gets the value, the others the flag’s default',
  rolloutShare: () => 'Share',
  rolloutZero: () => '0 % is not the same as not set: nobody gets the value.',

  variants: () => 'Variants',
  variantsText: () => 'Each person always gets the same one.',
  variantsIgnored: () => 'Only A/B flags use variants. These are stored and have no effect.',
  noVariants: () => 'There are no variants, so everyone gets the value above.',
  clearVariants: () => 'Remove them',
  addVariant: () => 'Add a variant',
  variant: (place: number) => `Variant ${number(place + 1)}`,
  variantKey: () => 'Key',
  variantValue: () => 'Value',
  weight: () => 'Share',
  removeVariant: (key: string, place: number) =>
    `Remove ${key === '' ? `variant ${number(place + 1)}` : key}`,
  even: () => 'Make them even',
  weightsBar: (parts: readonly { key: string; weight: number }[]) =>
    parts.map(({ key, weight }) => `${key} ${basisPoints(weight)}`).join(', '),
  weightsSum: (sum: number) => `Together ${basisPoints(sum)}.`,
  changeVariant: (points: number) => `${basisPoints(points)} of people change variant.`,

  schedule: () => 'Schedule',
  scheduleText: (zone: string) => `Times are those of your browser: ${zone}.`,
  enableAt: () => 'Switch on at',
  disableAt: () => 'Switch off at',
  clearTime: (what: string) => `Clear “${what}”`,
  timePast: () => 'This is in the past: it happens as soon as you save.',
  timeUtc: (text: string) => `${text} UTC`,

  dirty: (environment: string) => `Your changes in ${environment} are not saved.`,
  save: () => 'Save',
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
  requested: (environment: string) => `Approval is requested. ${environment} changes once somebody approves.`,
  /** Absent when neither is forbidden. */
  mayNot: (environment: string, isSwitch: boolean, isRules: boolean): string | undefined => {
    if (!isSwitch && !isRules) return undefined;
    const deeds = isSwitch && isRules ? 'change' : isSwitch ? 'switch or schedule' : 'change the rules of';
    return `You may not ${deeds} flags in ${environment}.`;
  },
  byApproval: (environment: string) => `${environment} is protected: flags change there by approval alone.`,
  mayNotEdit: () => 'Your role may only look at flags. An owner or admin can change that.',
  butRequest: () => 'You can draft a change and request approval for it.',
  behind: (name: string | null, at: string, now: number) =>
    name === null ? `Changed ${agoToTheSecond(at, now)}.` : `Changed ${agoToTheSecond(at, now)} by ${name}.`,
  behindText: () => 'Your draft is untouched. It is still about the state before that.',
  behindUnknown: () => 'Somebody changed it.',
  show: () => 'Show',
};
