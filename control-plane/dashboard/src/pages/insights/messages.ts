import { ago, date, dateTime, list, number, plural } from '../../messages/format';
import type { Cause, StaleReason } from './queries';
import type { Tab } from './tabs';

const TABS: Record<Tab, string> = {
  evaluations: 'Evaluations',
  unknown: 'Unknown flags',
  stale: 'Stale flags',
  impressions: 'Impressions',
};

const REASONS: Record<Cause, string> = {
  not_evaluated: 'Not evaluated for 30 days',
  one_value: 'One value for 30 days',
  fully_on: 'On for everyone for 30 days',
  fully_off: 'Off everywhere for 30 days',
};

/** The text of the insights of a project. */
export const page = {
  title: () => 'Insights',
  lead: () => 'How your apps use flags, and which flags you can remove.',
  tab: (tab: Tab) => TABS[tab],
  environment: () => 'Environment',
  allEnvironments: () => 'All environments',
  flag: () => 'Flag',
  allFlags: () => 'All flags',
  more: () => 'Show more',
  of: (shown: number, total: number) => `${number(shown)} of ${number(total)} shown.`,
  openFlag: () => 'Open the flag',

  unknownLead: () =>
    'Keys that your apps ask for but no flag has: a typo in code, or a flag that was deleted too early.',
  unknownNoneTitle: () => 'No unknown flags',
  unknownNone: () =>
    'Every key that your apps asked for belongs to a flag. Keys of flags that do not exist show up here.',
  askUnknown: () => 'Ask for a flag that does not exist',
  key: () => 'Key',
  count: () => 'Evaluations',
  first: () => 'First seen',
  last: () => 'Last seen',
  ago: (iso: string, now: number) => ago(iso, now),
  at: (iso: string) => dateTime(iso),
  otherKeys: () => 'All other keys',
  otherKeysText: () => 'Counted together beyond 10,000 keys',
  actions: () => 'Actions',
  create: () => 'Create flag',
  createOf: (key: string) => `Create flag ${key}`,
  createText: (environments: string) =>
    `Apps in ${environments} get this flag's value once it exists. It starts switched off.`,
  name: () => 'Name',
  type: () => 'Type',
  typeText: () => 'Choose the type that your code expects. It cannot change later.',
  typeName: (type: string) => TYPES[type] ?? type,
  created: (key: string) => `Created ${key}.`,
  goneEnvironment: () => 'Deleted environment',
  csvEnvironment: () => 'Environment',

  staleLead: () =>
    'Flags that have done their job. Remove them from your code first, then archive them. Flags that are meant to stay can be marked as permanent.',
  staleMany: () => 'Select several in the list of flags',
  staleNoneTitle: () => 'No stale flags',
  staleNone: () =>
    'A flag appears here after 30 days without an evaluation, with one value only, fully on, or off everywhere. Permanent flags never do.',
  noMatchTitle: () => 'No stale flags match',
  noMatch: (filters: readonly string[]) => `Nothing matches ${list(filters)}.`,
  clear: () => 'Clear filters',
  why: () => 'Reason',
  anyReason: () => 'Any reason',
  reason: (reason: Cause) => REASONS[reason],
  name_: () => 'Flag',
  ifRemoved: () => 'If you remove it',
  because: (of: StaleReason, environments: readonly string[], value: string) => {
    const where = of.everywhere ? 'everywhere' : `in ${list(environments)}`;
    switch (of.reason) {
      case 'not_evaluated':
        return of.since === null ? 'Never evaluated.' : `Not evaluated since ${date(of.since)}.`;
      case 'one_value':
        return `Served only ${value} ${where} for 30 days.`;
      case 'fully_on':
        return `On for everyone ${where}${of.since === null ? '' : ` since ${date(of.since)}`}.`;
      case 'fully_off':
        return of.since === null ? 'Never switched on.' : `Off everywhere since ${date(of.since)}.`;
    }
  },
  longValue: (digest: string) => `one long value (${digest.slice(0, 8)})`,
  removeUnused: () => 'Nothing changes: no app asks for it.',
  removeSingle: (value: string) => `Nothing changes if the code uses ${value} instead.`,
  removeFull: () => 'Nothing changes if the code keeps the path for "on".',
  removeOff: () => 'Nothing changes if the code keeps the path for "off".',
  removePartly: (environments: readonly string[]) =>
    `Other environments may change: it is only settled in ${list(environments)}.`,
  permanent: () => 'Mark permanent',
  permanentOf: (key: string) => `Mark permanent: ${key}`,
  marked: (key: string) => `${key} is permanent now.`,
  undo: () => 'Undo',
  archive: () => 'Archive',
  archiveOf: (key: string) => `Archive ${key}`,
  mayNot: () => 'Your role may not change or archive flags.',
  undistinguished: (environments: readonly string[]) =>
    `${list(environments)} served more than 2,000 different results at a time, so flags with one value cannot be told there.`,
  lastEvaluated: () => 'Last evaluated',
  inCode: () => 'In code',
  references: (count: number) => (count === 0 ? 'Not any more' : plural(count, 'line', 'lines')),
  notScanned: () => 'Not scanned',
  never: () => 'Never',
  staleCount: (total: number) => plural(total, 'stale flag', 'stale flags'),
  unknownCount: (total: number) => plural(total, 'unknown key', 'unknown keys'),

  impressionsLead: () =>
    'Who saw a variant, as your apps report it. The newest 100,000 of the last 90 days are kept, unless your operator set another limit.',
  impressionsNoneTitle: () => 'No impressions yet',
  impressionsNone: () =>
    'An evaluation says that an app asked for a flag; an impression says that a user saw the variant. Report one when you show it.',
  impressionsNoMatchTitle: () => 'No impressions match',
  track: () => 'Report an impression',
  variant: () => 'Variant',
  noVariant: () => 'No variant',
  impressions: () => 'Impressions',
  share: () => 'Share of the flag',
  percent: (share: number) => `${number(Math.round(share * 1000) / 10)}%`,
  cut: (shown: number) =>
    `Only the first ${number(shown)} variants are shown. Choose a flag to see its variants.`,
};

const TYPES: Record<string, string> = {
  boolean: 'Boolean',
  string: 'String',
  number: 'Number',
  json: 'JSON',
  ab: 'A/B test',
};
