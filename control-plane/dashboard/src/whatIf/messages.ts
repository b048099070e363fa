import { shownValue } from '../flagState/values';
import { basisPoints, clock, list, listOfAny, number, plural } from '../messages/format';
import type { WhatIfAnswer } from './queries';

type Told = WhatIfAnswer['transitions'][number]['from'];
type Counts = Pick<WhatIfAnswer, 'share' | 'interval' | 'changed' | 'since' | 'asked_at'>;

const HOUR_MS = 3_600_000;
/** People that are named whom to ask. */
const NAMED = 3;
/** Samples below which an estimate says little. */
const FEW = 100;
/** The least that is shown of a share, and of what is missing to all, in basis points. */
const LEAST = 1;

/** A part of one in per cent, finer near the ends. One that is not nothing, or not all, never reads as if it were. */
export function share(part: number): string {
  const points = part * 10_000;
  if (points > 0 && points < LEAST) return `less than ${basisPoints(LEAST)}`;
  if (points < 10_000 && points > 10_000 - LEAST) return `more than ${basisPoints(10_000 - LEAST)}`;
  const isNearEnd = points < 100 || points > 9900;
  return basisPoints(isNearEnd ? points : Math.round(points / 10) * 10);
}

/** How far back samples go, as words: the beginning of the oldest hour is told. */
function span({ since, asked_at }: Pick<Counts, 'since' | 'asked_at'>): string {
  const hours = since === null ? 24 : Math.ceil((Date.parse(asked_at) - Date.parse(since)) / HOUR_MS);
  return hours <= 1 ? 'Over the last hour' : `Over the last ${number(Math.min(hours, 24))} hours`;
}

function sentence(answer: Counts): string {
  const { share: part, interval, changed } = answer;
  if (part === null || interval === null)
    return 'Edges have no samples yet of requests that this can affect.';
  const range = `(${share(interval.low)} to ${share(interval.high)})`;
  return changed === 0
    ? `${span(answer)} this would have changed no answer ${range}.`
    : `${span(answer)} this would have changed ${share(part)} of answers ${range}.`;
}

const edges = (count: number, did: string, one = did) =>
  count > 0 ? `${number(count)} ${count === 1 ? one : did}` : null;

/** What is missing in an estimate, or wrong with it. */
function warnings({ edges: of, is_open, not_sampled, names_keys, samples }: WhatIfAnswer): string[] {
  const silent = is_open ? 0 : of.asked - of.answered - of.not_sampling - of.refused - of.busy;
  const missing = [
    edges(of.not_sampling, 'have no samples by this setting yet', 'has no samples by this setting yet'),
    edges(of.busy, 'had too much to do'),
    edges(of.refused, 'cannot use the draft'),
    edges(silent, 'did not answer'),
  ].filter(words => words !== null);
  return [
    ...(of.asked === 0 ? ['No edge serves this environment.'] : []),
    ...(missing.length === 0 ? [] : [`Of ${plural(of.asked, 'edge', 'edges')}, ${list(missing)}.`]),
    ...(samples > 0 && samples < FEW
      ? [
          `There ${samples === 1 ? 'is' : 'are'} only ${plural(samples, 'sample', 'samples')}, so the range is wide.`,
        ]
      : []),
    ...(not_sampled.length === 0
      ? []
      : [
          `Edges do not keep ${list(not_sampled)}, which ${not_sampled.length === 1 ? 'decides' : 'decide'} these answers. The estimate takes every user to be without ${not_sampled.length === 1 ? 'it' : 'them'}.`,
        ]),
    ...(names_keys
      ? [
          'Rules name users by key, and edges keep hashes of keys only: to the samples, those rules match nobody.',
        ]
      : []),
  ];
}

export const whatIf = {
  ask: () => 'What would this change?',
  again: () => 'Ask again',
  wait: (seconds: number) => `You can ask again in ${clock(seconds)}.`,
  lead: () =>
    'Edges try this on the requests of the last 24 hours of which they keep samples. Nothing is saved by asking.',
  by: () => 'Count by',
  byNothing: () => 'All together',
  sentence,
  basis: ({ changed, answers, samples }: WhatIfAnswer) =>
    `About ${number(changed)} of ${plural(answers, 'answer', 'answers')}, estimated from ${plural(samples, 'sample', 'samples')}. In 99 of 100 estimates the true share is in the range.`,
  open: () => 'Not all edges have answered yet.',
  warnings,
  /** Within a table: its words are of the flag's author. */
  count: (value: number) => number(value),
  value: ({ value, digest }: Told) => (digest === null ? shownValue(value) : `long value ${digest}`),
  transitions: () => 'Answers that change',
  flag: () => 'Flag',
  from: () => 'From',
  to: () => 'To',
  answers: () => 'Answers, about',
  groups: (by: string) => `Answers by ${by}`,
  examples: () => 'Users whose answers change',
  examplesOf: (count: number) => `Show up to ${number(count)} users whose answers change`,
  examplesText: () => 'With the attributes that edges keep of them. The audit log has who looked.',
  key: () => 'Key',
  attributes: () => 'Attributes',
  attributesOf: (attributes: Record<string, unknown>) =>
    Object.entries(attributes)
      .map(([name, value]) => `${name}: ${shownValue(value)}`)
      .join(', '),
  without: () => 'without it',
  changed: () => 'Of these change',
  changedOf: (changed: number, answers: number) =>
    `${number(changed)}, ${share(answers === 0 ? 0 : changed / answers)}`,
  showAll: (count: number) => `Show all ${number(count)}`,
  off: (names: readonly string[]) =>
    `Edges keep no samples of requests in ${list(names)}, so they cannot say what this would have changed there.`,
  askFor: (names: readonly string[]) =>
    names.length === 0
      ? 'An owner or admin of your organization can switch sampling on.'
      : `Ask ${listOfAny(names.slice(0, NAMED))} to switch sampling on.`,
  setting: (name: string) => `Sampling of ${name} (opens a new tab)`,
  mayNot: () =>
    'Owners, admins and developers who may read flags, segments and environments can ask edges what this would have changed.',
};
