import { ago, dateTime, list, number, plural } from '../../../messages/format';

const ACTIONS: Record<string, string> = {
  'flag.created': 'created the flag',
  'flag.updated': 'changed the flag',
  'flag.deleted': 'deleted the flag',
  'flag.archived': 'archived the flag',
  'flag.restored': 'restored the flag',
  'flag.state_updated': 'saved',
  'flag.killed': 'killed it here',
  'flag.promoted': 'promoted a state to here',
  'flag.rolled_back': 'restored an earlier version',
  'flag.scheduled_toggle': 'switched it by schedule',
  'flag.approved_change_applied': 'approved a change',
};

const FIELDS: Record<string, string> = {
  name: 'name',
  description: 'description',
  tags: 'tags',
  prerequisites: 'prerequisites',
  mutual_exclusion_group: 'exclusion group',
  enabled: 'on or off',
  default_value: 'default value',
  rules: 'rules',
  percentage_rollout: 'rollout',
  variants: 'variants',
  archived_at: 'archived or not',
  scheduled_enable_at: 'schedule',
  scheduled_disable_at: 'schedule',
};

export const history = {
  versions: () => 'Versions, the newest first',
  count: (total: number) => plural(total, 'version', 'versions'),
  about: (environment: string) => `What was changed in ${environment}, and of the flag itself.`,
  version: (version: number) => `Version ${number(version)}`,
  system: () => 'Halyard',
  gone: () => 'Somebody who left',
  action: (action: string) => ACTIONS[action] ?? action.slice(action.indexOf('.') + 1).replaceAll('_', ' '),
  fields: (fields: readonly string[]) => list([...new Set(fields.map(field => FIELDS[field] ?? field))]),
  changedFields: (fields: readonly string[]) => `Changed: ${history.fields(fields)}`,
  ago: (iso: string, now: number) => ago(iso, now),
  at: (iso: string) => dateTime(iso),
  nothing: () => 'Nothing that is kept in history changed.',
  first: () => 'What was there before is not kept.',
  more: () => 'Show earlier versions',
  isNow: () => 'Stored now',
  open: (version: number) => `Compare or restore version ${number(version)}`,
  openShort: () => 'Compare or restore',
  close: () => 'Close',
  compareWith: () => 'Compare with',
  before: () => 'The version before',
  storedNow: () => 'What is stored now',
  choice: (version: number, who: string, iso: string) =>
    `Version ${number(version)}, ${who}, ${dateTime(iso)}`,
  fromTo: (from: string, to: string) => `From ${from} to ${to}`,
  versionSmall: (version: number) => `version ${number(version)}`,
  nowSmall: () => 'what is stored now',
  beginning: () => 'the beginning',
  noSuch: (version: number, environment: string) =>
    `Version ${number(version)} is not of ${environment}, or is no longer kept.`,
  restore: () => 'Restore',
  restoreTitle: (version: number, environment: string) =>
    `Restore version ${number(version)} in ${environment}?`,
  restoreText: () =>
    'The state becomes what it was then, as a new version. The flag’s own fields, such as its name and prerequisites, stay.',
  pastSchedule: () => 'A scheduled time that has passed meanwhile is left out.',
  draftStays: () => 'What you have not saved in Targeting stays a draft.',
  restoreNothing: () => 'The state is the same as it was then: there is nothing to restore.',
  noState: () => 'Nothing was stored in this environment then, so there is nothing to restore.',
  mayNot: (environment: string) => `Your role may not change all of this in ${environment}.`,
  restored: (version: number, environment: string) =>
    `Version ${number(version)} is restored in ${environment}.`,
};
