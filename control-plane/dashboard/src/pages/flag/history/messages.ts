import { ago, dateTime, list, number, plural } from '../../../messages/format';

const ACTIONS: Record<string, string> = {
  'flag.created': 'created the flag',
  'flag.updated': 'changed the flag',
  'flag.deleted': 'deleted the flag',
  'flag.archived': 'archived the flag',
  'flag.restored': 'restored the flag',
  'flag.state_updated': 'saved',
  'flag.killed': 'turned it off with the kill switch',
  'flag.promoted': 'promoted a state to here',
  'flag.rolled_back': 'restored an earlier version',
  'flag.scheduled_toggle': 'turned it on or off by schedule',
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
  about: (environment: string) => `Changes in ${environment}, and of the flag itself.`,
  version: (version: number) => `Version ${number(version)}`,
  system: () => 'System',
  gone: () => 'A former member',
  action: (action: string) => ACTIONS[action] ?? action.slice(action.indexOf('.') + 1).replaceAll('_', ' '),
  fields: (fields: readonly string[]) => list([...new Set(fields.map(field => FIELDS[field] ?? field))]),
  changedFields: (fields: readonly string[]) => `Changed: ${history.fields(fields)}`,
  ago: (iso: string, now: number) => ago(iso, now),
  at: (iso: string) => dateTime(iso),
  nothing: () => 'No recorded changes.',
  first: () => 'Earlier versions are no longer kept.',
  more: () => 'Show earlier versions',
  isNow: () => 'Current version',
  open: (version: number, isNow: boolean) =>
    `${isNow ? 'Compare' : 'Compare or restore'} version ${number(version)}`,
  openShort: (isNow: boolean) => (isNow ? 'Compare' : 'Compare or restore'),
  close: () => 'Close',
  request: () => 'Who requested it, and why',
  compareWith: () => 'Compare with',
  before: () => 'The version before',
  storedNow: () => 'Current version',
  choice: (version: number, who: string, iso: string) =>
    `Version ${number(version)}, ${who}, ${dateTime(iso)}`,
  fromTo: (from: string, to: string) => `From ${from} to ${to}`,
  versionSmall: (version: number) => `version ${number(version)}`,
  nowSmall: () => 'the current version',
  beginning: () => 'the beginning',
  noSuch: (version: number, environment: string) =>
    `Version ${number(version)} is not of ${environment}, or is no longer kept.`,
  restore: (version: number) => `Restore version ${number(version)}`,
  comment: (text: string) => `“${text}”`,
  restoreTitle: (version: number, environment: string) =>
    `Restore version ${number(version)} in ${environment}?`,
  restoreText: () =>
    'This saves the earlier state as a new version. The flag’s own fields, such as its name and prerequisites, stay as they are.',
  pastSchedule: () => 'Scheduled times that have passed are left out.',
  draftStays: () => 'Your unsaved changes in Targeting stay a draft.',
  restoreNothing: () => 'The current version is the same: there is nothing to restore.',
  noState: () => 'This version has no state in this environment, so there is nothing to restore.',
  mayNot: (environment: string) =>
    `You don’t have permission to change all of this in ${environment}. Ask an owner or admin.`,
  mayNotRestore: (environment: string) =>
    `You don’t have permission to restore versions in ${environment}. Ask an owner or admin.`,
  restored: (version: number, environment: string) =>
    `Version ${number(version)} is restored in ${environment}.`,
};
