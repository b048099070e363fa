import { type Words, words } from '../diff/sentence';
import { ago, basisPoints, dateTime, dateTimeZone, list, number, plural } from './format';

const OPERATORS: Record<string, string> = {
  eq: 'equals',
  in: 'is one of',
  neq: 'does not equal',
  notIn: 'is none of',
  contains: 'contains',
  startsWith: 'starts with',
  endsWith: 'ends with',
  regex: 'matches',
  gt: 'is greater than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  exists: 'is present',
};

/** Longer values are cut in sentences; the JSON has them whole. */
const LONGEST = 80;

function value(of: unknown): string {
  const text = of === undefined ? 'undefined' : JSON.stringify(of);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

function orUnset(of: unknown): Words {
  return of === null || of === undefined ? words`not set` : words`${value(of)}`;
}

function share(points: number | null): string {
  if (points === null) return 'not set';
  return points === 0 ? `${basisPoints(points)} (nobody)` : basisPoints(points);
}

function time(iso: string | null): string {
  return iso === null || iso === '' ? 'not set' : dateTimeZone(iso);
}

function rule(of: { name: string; place: number }): Words {
  return of.name === '' ? words`Rule ${number(of.place)}` : words`Rule ${of.name}`;
}

type NamedRule = Parameters<typeof rule>[0];

export interface ToldCondition {
  attribute: string;
  operator: string;
  values: readonly string[];
}

export function operatorName(operator: string): string {
  return OPERATORS[operator] ?? operator;
}

/** A condition in words: `country is one of DE, FR`. */
export function condition({ attribute, operator, values }: ToldCondition): Words {
  const verb = OPERATORS[operator] ?? operator;
  if (operator === 'exists') {
    const isAbsent = values.length === 1 && values[0]?.toLowerCase() === 'false';
    return isAbsent ? words`${attribute} is missing` : words`${attribute} is present`;
  }
  if (operator === 'neq' && values.length === 0) return words`${attribute} is missing`;
  const told = values.length > 6 ? [...values.slice(0, 5), `${number(values.length - 5)} more`] : values;
  return words`${attribute} ${[verb]} ${told.join(', ')}`;
}

export const sentences = {
  state: {
    enabled: (isOn: boolean) => (isOn ? words`Switched on` : words`Switched off`),
    defaultValue: (a: unknown, b: unknown) =>
      words`Default value in this environment: ${orUnset(a)} → ${orUnset(b)}`,
    rollout: (a: number | null, b: number | null) => [`Rollout: ${share(a)} → ${share(b)}`],
    enableAt: (a: string | null, b: string | null) => [`Switches on at: ${time(a)} → ${time(b)}`],
    disableAt: (a: string | null, b: string | null) => [`Switches off at: ${time(a)} → ${time(b)}`],
    renumbered: () => words`Priorities of rules are numbered anew; their order stays the same`,
    restacked: () =>
      words`Rules are stored in another order; the order in which they are tried stays the same`,
  },
  rule: {
    added: (of: NamedRule, parts: readonly Words[]) =>
      joined(words`${rule(of)} added at place ${[number(of.place)]}`, parts),
    removed: (of: NamedRule, parts: readonly Words[]) => joined(words`${rule(of)} removed`, parts),
    moved: (of: NamedRule, from: number, to: number) =>
      words`${rule(of)} moved from place ${[number(from)]} to ${[number(to)]}`,
    renamed: (of: NamedRule, to: string) =>
      to === ''
        ? words`${rule(of)}: description removed`
        : of.name === ''
          ? words`${rule(of)}: described as ${to}`
          : words`${rule(of)} renamed ${to}`,
    percentage: (of: NamedRule, a: number, b: number) => words`${rule(of)}: ${[`${share(a)} → ${share(b)}`]}`,
    value: (of: NamedRule, a: unknown, b: unknown) =>
      words`${rule(of)}: serves ${ruleValue(a)} → ${ruleValue(b)}`,
    matchType: (of: NamedRule, to: string) =>
      to === 'any'
        ? words`${rule(of)}: any condition is enough, before it took all`
        : words`${rule(of)}: takes all conditions, before any was enough`,
    conditionAdded: (of: NamedRule, what: ToldCondition) =>
      words`${rule(of)}: added the condition ${condition(what)}`,
    conditionRemoved: (of: NamedRule, what: ToldCondition) =>
      words`${rule(of)}: removed the condition ${condition(what)}`,
    conditionChanged: (of: NamedRule, a: ToldCondition, b: ToldCondition) =>
      words`${rule(of)}: ${condition(a)} → ${condition(b)}`,
    valuesAdded: (of: NamedRule, { attribute, operator }: ToldCondition, values: readonly string[]) =>
      words`${rule(of)}, ${attribute} ${[OPERATORS[operator] ?? operator]}: added ${list(values)}`,
    valuesRemoved: (of: NamedRule, { attribute, operator }: ToldCondition, values: readonly string[]) =>
      words`${rule(of)}, ${attribute} ${[OPERATORS[operator] ?? operator]}: removed ${list(values)}`,
    conditionsReordered: (of: NamedRule) =>
      words`${rule(of)}: conditions are written in another order; whom it matches stays the same`,
    segmentAdded: (of: NamedRule, name: string) => words`${rule(of)}: added the segment ${name}`,
    segmentRemoved: (of: NamedRule, name: string) => words`${rule(of)}: removed the segment ${name}`,
    segmentsReordered: (of: NamedRule) =>
      words`${rule(of)}: segments are written in another order; whom it matches stays the same`,
    partEveryone: () => words`matches everyone`,
    partConditions: (all: readonly Words[], matchType: string) =>
      all.flatMap((one, index) => (index === 0 ? one : [matchType === 'any' ? ' or ' : ' and ', ...one])),
    partSegments: (names: readonly string[]) =>
      names.length === 1 ? words`in the segment ${names[0] ?? ''}` : words`in any of ${names.join(', ')}`,
    partServes: (of: unknown, points: number) =>
      points === 10_000
        ? words`serves ${ruleValue(of)}`
        : words`serves ${ruleValue(of)} to ${[share(points)]}`,
  },
  variant: {
    added: (key: string, weight: number, of: unknown) =>
      words`Variant ${key} added: ${[basisPoints(weight)]}, value ${value(of)}`,
    removed: (key: string, weight: number) => words`Variant ${key} removed, it had ${[basisPoints(weight)]}`,
    weight: (key: string, a: number, b: number) =>
      words`Variant ${key} ${[`${basisPoints(a)} → ${basisPoints(b)}`]}`,
    value: (key: string, a: unknown, b: unknown) => words`Variant ${key}: value ${value(a)} → ${value(b)}`,
    order: (a: readonly string[], b: readonly string[]) =>
      words`Order of variants: ${a.join(', ')} → ${b.join(', ')}; some users change variant`,
  },
  flag: {
    deleted: () => words`The flag was deleted`,
    created: (name: string) => words`The flag ${name} was created`,
    name: (a: string, b: string) => words`Name: ${a} → ${b}`,
    description: (a: string, b: string) =>
      a === ''
        ? words`Description added: ${b}`
        : b === ''
          ? words`Description removed: ${a}`
          : words`Description: ${a} → ${b}`,
    defaultValue: (a: unknown, b: unknown) => words`Default value of the flag: ${value(a)} → ${value(b)}`,
    tagAdded: (tag: string) => words`Added the tag ${tag}`,
    tagRemoved: (tag: string) => words`Removed the tag ${tag}`,
    tagsReordered: () => words`Tags are written in another order`,
    prerequisiteAdded: (name: string) => words`Added the prerequisite ${name}`,
    prerequisiteRemoved: (name: string) => words`Removed the prerequisite ${name}`,
    prerequisitesReordered: () => words`Prerequisites are written in another order`,
    group: (a: string, b: string) =>
      words`Mutual exclusion group: ${a === '' ? words`none` : a} → ${b === '' ? words`none` : b}`,
  },
};

function ruleValue(of: unknown): Words {
  return of === undefined ? words`the default` : words`${value(of)}`;
}

function joined(head: Words, parts: readonly Words[]): Words {
  return [...head, ...parts.flatMap((part, index) => [index === 0 ? ': ' : '; ', ...part])];
}

export const diff = {
  nothing: () => 'Nothing changes.',
  sentences: () => 'What changes',
  json: () => 'JSON',
  view: () => 'How the difference is shown',
  before: () => 'Before',
  after: () => 'After',
  added: () => 'Added',
  removed: () => 'Removed',
  changed: () => 'Changed',
  sameLines: (count: number) => plural(count, 'line is the same', 'lines are the same'),
  save: () => 'Save',
  requestApproval: () => 'Request approval',
  meanwhileTitle: () => 'Somebody else saved meanwhile',
  meanwhileBy: (name: string | null, iso: string, now: number) =>
    `${name ?? 'Halyard itself'} saved a change ${ago(iso, now)} (${dateTime(iso)}), after you had opened this. Nothing of yours is saved yet, and nothing is lost.`,
  meanwhile: () =>
    'The stored version changed after you had opened this. Nothing of yours is saved yet, and nothing is lost.',
  theirs: () => 'What they changed',
  mine: () => 'What you changed',
  mergedAlone: () => 'Your changes and theirs touch different things, so both are kept.',
  overlaps: (count: number) =>
    `${plural(count, 'place was', 'places were')} changed by both. Choose what is kept in each; everything else of both is kept.`,
  overlap: (index: number, of: number) => `Choice ${number(index)} of ${number(of)}`,
  keepMine: () => 'Keep yours',
  keepTheirs: () => 'Keep theirs',
  unchanged: () => 'As it was before',
  result: () => 'What is stored will change like this',
  resultNothing: () => 'Nothing would change: what you wanted is stored already.',
  left: (count: number) => `${plural(count, 'choice', 'choices')} left`,
  goOn: () => 'Continue with the new version',
};
