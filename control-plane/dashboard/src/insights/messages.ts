import { ago, basisPoints, date, dateTime, list, number, plural } from '../messages/format';
import type { Range } from './ranges';
import type { Split } from './report';
import type { Share } from './shares';

const RANGE_NAMES: Record<Range, string> = {
  hour: 'Last hour',
  day: 'Last 24 hours',
  month: 'Last 30 days',
  year: 'Last 12 months',
};

const SPLIT_NAMES: Record<Split, string> = {
  value: 'Value',
  variant: 'Variant',
  reason: 'Reason',
  environment: 'Environment',
  flag: 'Flag',
};

const CHART_NAMES: Record<Split, string> = {
  value: 'Evaluations by value',
  variant: 'Evaluations by variant',
  reason: 'Evaluations by reason',
  environment: 'Evaluations by environment',
  flag: 'Evaluations by flag',
};

/** Reasons of an evaluation, in words. */
const REASONS: Record<string, string> = {
  DISABLED: 'Flag is off',
  TARGETED: 'Matched a rule',
  ROLLOUT: 'In the rollout',
  VARIANT: 'Got a variant',
  FALLTHROUGH: 'No rule matched',
  PREREQUISITE_FAILED: 'Prerequisite not met',
  MUTUALLY_EXCLUDED: 'Another flag of the group won',
  NOT_FOUND: 'Unknown flag',
  ERROR: 'Wrong value stored',
};

const ACTIONS: Record<string, string> = {
  'flag.created': 'created the flag',
  'flag.updated': 'changed the settings',
  'flag.deleted': 'deleted the flag',
  'flag.archived': 'archived the flag',
  'flag.restored': 'restored the flag',
  'flag.state_updated': 'changed the flag',
  'flag.killed': 'turned the flag off with the kill switch',
  'flag.promoted': 'promoted the flag',
  'flag.rolled_back': 'restored an earlier version',
  'flag.scheduled_toggle': 'toggled the flag by schedule',
  'flag.approved_change_applied': 'applied an approved change',
};

const VERDICTS: Record<Share['verdict'], string> = {
  fits: 'As expected',
  high: 'More than its weight',
  low: 'Less than its weight',
  unknown: 'Too early to say',
};

/** The text of charts of evaluations, which several pages show. */
export const insights = {
  range: () => 'Range',
  rangeName: (range: Range) => RANGE_NAMES[range],
  splitBy: () => 'Split by',
  splitName: (split: Split) => SPLIT_NAMES[split],
  chart: (split: Split) => CHART_NAMES[split],
  reason: (reason: string) => REASONS[reason] ?? reason,
  noVariant: () => 'No variant',
  unknownKeys: () => 'Unknown keys and smaller flags',
  noValue: () => 'Not recorded',
  longValue: (digest: string) => `Long value ${digest.slice(0, 8)}`,
  deletedEnvironment: () => 'Deleted environment',
  others: () => 'Others',
  evaluations: (count: number) => plural(count, 'evaluation', 'evaluations'),
  inRange: (count: number, range: Range) =>
    `${plural(count, 'evaluation', 'evaluations')} in the ${RANGE_NAMES[range].toLowerCase()}.`,
  counter: (total: number, since: string) => `${number(total)} since the counter started on ${date(since)}.`,
  summedUp: (series: number, count: number) =>
    `${plural(series, 'smaller line', 'smaller lines')} with ${plural(count, 'evaluation', 'evaluations')} ${series === 1 ? 'is' : 'are'} part of Others.`,
  fresh: (connected: number) => `${plural(connected, 'edge', 'edges')} connected, reporting once a second.`,
  away: (names: readonly string[], since: string | null, now: number) =>
    `${list(names)} ${names.length === 1 ? 'is' : 'are'} not connected${since === null ? '' : `, last seen ${ago(since, now)}`}. Evaluations counted there are added when the connection is back.`,
  drops: () =>
    'An edge that is cut off keeps up to 64 MiB of counts. Beyond that it drops the oldest, which are missing here.',
  details: () => 'How complete are these numbers?',
  noneTitle: () => 'No evaluations yet',
  none: () =>
    'Charts show how often your apps evaluate flags, and what they get. Call a flag from your code, and it appears here within a second.',
  noneInRangeTitle: () => 'No evaluations in this range',
  noneInRange: (range: Range) =>
    `Nothing was evaluated in the ${RANGE_NAMES[range].toLowerCase()}. Call a flag from your code, and it appears here within a second.`,
  longer: (range: Range) => `Show the ${RANGE_NAMES[range].toLowerCase()}`,
  evaluateOnce: () => 'Evaluate a flag from a shell',
  apiKey: () => 'Set HALYARD_API_KEY to an API key of the environment.',
  copyCommand: () => 'Copy command',
  changes: () => 'Changes marked in the chart',
  change: (who: string, action: string, where: string | null) =>
    `${who} ${ACTIONS[action] ?? action.slice(action.indexOf('.') + 1).replaceAll('_', ' ')}${where === null ? '' : ` in ${where}`}`,
  system: () => 'Halyard',
  former: () => 'A former member',
  at: (iso: string) => dateTime(iso),
  moreChanges: (count: number) => `Only the latest ${number(count)} changes are marked.`,
  csvTime: () => 'Time (UTC)',
  csvTotal: () => 'Total',

  shares: () => 'Share of each variant',
  sharesText: (environment: string) =>
    `Users in ${environment} who got a variant, against the weights that are set now. The expected range holds 95% of the time if each evaluation is a different user.`,
  variant: () => 'Variant',
  weight: () => 'Weight',
  share: () => 'Share',
  count: () => 'Evaluations',
  interval: () => '95% interval',
  verdict: () => 'Result',
  verdictName: (verdict: Share['verdict']) => VERDICTS[verdict],
  percent: (share: number) => basisPoints(Math.round(share * 10_000)),
  between: (low: number, high: number) =>
    `${basisPoints(Math.round(low * 10_000))} to ${basisPoints(Math.round(high * 10_000))}`,
  removed: () => 'Removed',
  mismatch: (names: readonly string[]) =>
    `The share of ${list(names)} differs from the weight by more than chance explains. Typical causes: a few users account for many evaluations, or the weights changed within this range.`,
  matches: () => 'Every share fits its weight.',
  early: () => 'Fewer than 30 evaluations: too early to compare.',
  forbiddenTitle: () => 'Your role may not see metrics',
  forbidden: () =>
    'Evaluations, unknown flags and impressions are for people with the permission to read metrics.',

  usedTitle: () => 'Is it still used?',
  used: (iso: string, now: number) => `Yes. It was last evaluated ${ago(iso, now)}.`,
  unused: (iso: string, now: number) =>
    `Probably not. It was last evaluated ${ago(iso, now)}, and nothing has asked for it since.`,
  neverUsed: () => 'It was never evaluated. Either no app asks for it, or the counter was reset since.',
  usedHere: (count: number, environment: string) =>
    count === 0
      ? `Nothing evaluated it in ${environment} in the last 30 days.`
      : `In ${environment}: ${plural(count, 'evaluation', 'evaluations')} in the last 30 days.`,
  oneValue: (value: string) => `All of them got ${value}: the code may no longer need the flag.`,
  clientNote: () => 'Web and mobile SDKs fetch all flags at once, which counts as one evaluation of each.',
  changedInRange: (iso: string) =>
    `The flag changed on ${dateTime(iso)}, within this range, so earlier weights may be mixed in.`,
};
