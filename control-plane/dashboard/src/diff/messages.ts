import { OPERATORS } from '../conditions/messages';
import { asksForAbsence, type OperatorChoice } from '../conditions/operators';
import {
  agoToTheSecond,
  basisPoints,
  dateTime,
  dateTimeZone,
  list,
  number,
  plural,
} from '../messages/format';
import { type Words, words } from './sentence';

/** Longer values are cut in sentences; the JSON has them whole. */
const LONGEST = 80;

const NOT_SET = words`not set`;
const THE_DEFAULT = words`the default`;

function value(of: unknown, from = 0): string {
  const text = JSON.stringify(of) ?? '';
  const cut = text.slice(from, from + LONGEST);
  return `${from > 0 ? '…' : ''}${cut}${text.length > from + LONGEST ? '…' : ''}`;
}

/** `a → b`; long values from a little before the place where they differ. */
function values(a: unknown, b: unknown, unset: Words): Words {
  const [left, right] = [JSON.stringify(a) ?? '', JSON.stringify(b) ?? ''];
  const isLong = left.length > LONGEST || right.length > LONGEST;
  const differs = [...left].findIndex((character, index) => character !== right[index]);
  const from = isLong ? Math.max(0, (differs < 0 ? left.length : differs) - LONGEST / 4) : 0;
  const [was, is] = [a, b].map(of => (of === undefined ? unset : words`${value(of, from)}`));
  return words`${was ?? unset} → ${is ?? unset}`;
}

function rollout(points: number | null): string {
  if (points === null) return 'not set';
  return points === 0 ? `${basisPoints(points)} (no users)` : basisPoints(points);
}

function time(iso: string | null): string {
  return iso === null || iso === '' ? 'not set' : dateTimeZone(iso);
}

interface NamedRule {
  name: string;
  place: number;
  /** Whom it matches, for a rule without a name. */
  whom?: Words;
}

function rule(of: NamedRule): Words {
  return of.name === '' ? words`Rule ${number(of.place)}` : words`Rule ${of.name}`;
}

/** The rule where nothing else in the sentence says which one it is. */
function ruleFor({ whom, ...of }: NamedRule): Words {
  return of.name !== '' || whom === undefined ? rule(of) : words`${rule(of)} (${whom})`;
}

export interface ToldCondition {
  attribute: string;
  operator: string;
  values: readonly string[];
}

/** One that is stored and that nobody knows is told as it is written. */
export function operatorName(operator: string): string {
  return Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator as OperatorChoice] : operator;
}

/** A condition in words: `country is one of DE, FR`. */
export function condition(of: ToldCondition): Words {
  const { attribute, operator, values } = of;
  if (asksForAbsence({ ...of, values: [...values] })) return words`${attribute} ${[OPERATORS.missing]}`;
  if (operator === 'exists') return words`${attribute} ${[OPERATORS.exists]}`;
  const told = values.length > 6 ? [...values.slice(0, 5), `${number(values.length - 5)} more`] : values;
  return words`${attribute} ${[operatorName(operator)]} ${told.join(', ')}`;
}

export const sentences = {
  state: {
    enabled: (isOn: boolean) => (isOn ? words`Switched on` : words`Switched off`),
    defaultValue: (a: unknown, b: unknown) =>
      words`Default value in this environment: ${values(a ?? undefined, b ?? undefined, NOT_SET)}`,
    rollout: (a: number | null, b: number | null) => [`Rollout: ${rollout(a)} → ${rollout(b)}`],
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
      words`${ruleFor(of)} moved from place ${[number(from)]} to ${[number(to)]}`,
    renamed: (of: NamedRule, to: string) =>
      to === ''
        ? words`${rule(of)}: description removed`
        : of.name === ''
          ? words`${rule(of)}: described as ${to}`
          : words`${rule(of)} renamed ${to}`,
    percentage: (of: NamedRule, a: number, b: number) =>
      words`${ruleFor(of)}: ${[`${rollout(a)} → ${rollout(b)}`]}`,
    value: (of: NamedRule, a: unknown, b: unknown) =>
      words`${ruleFor(of)}: serves ${values(a, b, THE_DEFAULT)}`,
    matchType: (of: NamedRule, to: string) =>
      to === 'any'
        ? words`${rule(of)}: any condition is enough; before, all were needed`
        : words`${rule(of)}: all conditions are needed; before, any was enough`,
    conditionAdded: (of: NamedRule, what: ToldCondition) =>
      words`${rule(of)}: added the condition ${condition(what)}`,
    conditionRemoved: (of: NamedRule, what: ToldCondition) =>
      words`${rule(of)}: removed the condition ${condition(what)}`,
    conditionChanged: (of: NamedRule, a: ToldCondition, b: ToldCondition) =>
      words`${rule(of)}: ${condition(a)} → ${condition(b)}`,
    valuesAdded: (of: NamedRule, { attribute, operator }: ToldCondition, values: readonly string[]) =>
      words`${rule(of)}, ${attribute} ${[operatorName(operator)]}: added ${list(values)}`,
    valuesRemoved: (of: NamedRule, { attribute, operator }: ToldCondition, values: readonly string[]) =>
      words`${rule(of)}, ${attribute} ${[operatorName(operator)]}: removed ${list(values)}`,
    conditionsReordered: (of: NamedRule) =>
      words`${rule(of)}: conditions are in another order; it matches the same users`,
    segmentAdded: (of: NamedRule, name: string) => words`${rule(of)}: added the segment ${name}`,
    segmentRemoved: (of: NamedRule, name: string) => words`${rule(of)}: removed the segment ${name}`,
    segmentsReordered: (of: NamedRule) =>
      words`${rule(of)}: segments are in another order; it matches the same users`,
    partEveryone: () => words`matches everyone`,
    partConditions: (all: readonly Words[], matchType: string) =>
      all.flatMap((one, index) => (index === 0 ? one : [matchType === 'any' ? ' or ' : ' and ', ...one])),
    partSegments: (names: readonly string[]) =>
      names.length === 1 ? words`in the segment ${names[0] ?? ''}` : words`in any of ${names.join(', ')}`,
    partServes: (of: unknown, points: number) =>
      points === 10_000
        ? words`serves ${ruleValue(of)}`
        : words`serves ${ruleValue(of)} to ${[rollout(points)]}`,
  },
  variant: {
    added: (key: string, weight: number, of: unknown) =>
      words`Variant ${key} added: ${[basisPoints(weight)]}, value ${value(of)}`,
    removed: (key: string, weight: number) => words`Variant ${key} removed, it had ${[basisPoints(weight)]}`,
    weight: (key: string, a: number, b: number) =>
      words`Variant ${key} ${[`${basisPoints(a)} → ${basisPoints(b)}`]}`,
    value: (key: string, a: unknown, b: unknown) => words`Variant ${key}: value ${values(a, b, NOT_SET)}`,
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
    defaultValue: (a: unknown, b: unknown) => words`Default value of the flag: ${values(a, b, NOT_SET)}`,
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

export const segmentSentences = {
  name: (a: string, b: string) => words`Name: ${a} → ${b}`,
  description: () => words`Description changed`,
  matchType: (to: string) =>
    to === 'any' ? words`Any condition is enough now` : words`All conditions have to match now`,
  conditionAdded: (what: ToldCondition) => words`Added the condition ${condition(what)}`,
  conditionRemoved: (what: ToldCondition) => words`Removed the condition ${condition(what)}`,
  conditionChanged: (a: ToldCondition, b: ToldCondition) => words`${condition(a)} → ${condition(b)}`,
};

/** A field of anything: `required approvals: 1 → 2`. */
export function fieldSentence(name: string, a: unknown, b: unknown): Words {
  const unset = (of: unknown) => (of === null ? undefined : of);
  return words`${[name.replaceAll('_', ' ')]}: ${values(unset(a), unset(b), NOT_SET)}`;
}

function ruleValue(of: unknown): Words {
  return of === undefined ? THE_DEFAULT : words`${value(of)}`;
}

function joined(head: Words, parts: readonly Words[]): Words {
  return [...head, ...parts.flatMap((part, index) => [index === 0 ? ': ' : '; ', ...part])];
}

export const diff = {
  nothing: () => 'No changes.',
  sentences: () => 'Changes',
  json: () => 'JSON',
  view: () => 'How the difference is shown',
  added: () => 'Added',
  removed: () => 'Removed',
  sameLines: (count: number) => plural(count, 'line is the same', 'lines are the same'),
  meanwhileTitle: () => 'Someone else saved changes',
  meanwhileBy: (name: string | null, iso: string, now: number) =>
    `${name ?? 'Halyard itself'} saved a change ${agoToTheSecond(iso, now)} (${dateTime(iso)}), after you opened this page. Your changes are kept and not saved yet.`,
  meanwhile: () =>
    'The saved version changed after you opened this page. Your changes are kept and not saved yet.',
  theirs: () => 'What they changed',
  mine: () => 'What you changed',
  mergedAlone: () => 'Your changes and theirs do not overlap, so both are kept.',
  overlaps: (count: number) =>
    `You both changed ${plural(count, 'place', 'places')}. Choose which version to keep in each; everything else is kept.`,
  overlap: (index: number, of: number) => `Choice ${number(index)} of ${number(of)}`,
  keepMine: () => 'Keep yours',
  keepTheirs: () => 'Keep theirs',
  unchanged: () => 'As it was before',
  result: () => 'The saved version will change like this',
  resultNothing: () => 'Nothing would change: your change is already saved.',
  left: (count: number) => `${plural(count, 'choice', 'choices')} left`,
  behind: () => 'Someone else saved changes, so the result would now be different.',
  showNow: () => 'Show the new result',
  goOn: () => 'Continue with the new version',
};
