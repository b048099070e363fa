import { ago, list, number, plural } from '../../messages/format';

const COLORS: Record<string, string> = {
  green: 'Green',
  amber: 'Amber',
  red: 'Red',
  blue: 'Blue',
  violet: 'Violet',
  pink: 'Pink',
  teal: 'Teal',
  grey: 'Grey',
};

export const environments = {
  title: () => 'Environments',
  lead: () =>
    'Each environment has its own state of every flag, and its own API keys. Edit one to require approval for changes.',
  create: () => 'Create an environment',
  created: (name: string) => `${name} is created. Every flag is off in it.`,
  edit: (name: string) => `Edit ${name}`,
  sampling: () => 'Sampling',
  samplingOf: (name: string) => `Sampling of ${name}`,
  saved: (name: string) => `${name} is saved.`,
  table: () => 'Environments of this project',
  environment: () => 'Environment',
  slugText: () => 'Part of paths such as /v1/client/{slug}/flags.',
  color: () => 'Colour',
  colorName: (id: string) => COLORS[id] ?? id,
  hex: () => 'Hex code',
  hexText: () => 'For any other colour, such as #3b82f6.',
  hexWrong: () => 'Enter a # and six digits from 0 to f, such as #3b82f6.',
  keys: () => 'API keys',
  ofEnvironment: (name: string) => `of ${name}`,
  keyCount: (count: number, isMore: boolean) =>
    isMore ? `More than ${number(count)} keys in use` : plural(count, 'key in use', 'keys in use'),
  created_at: () => 'Created',
  ago: (iso: string, now: number) => ago(iso, now),
  changes: () => 'Flag changes',
  guarded: (count: number) => `Need ${plural(count, 'approval', 'approvals')}`,
  free: () => 'Take effect directly',
  protected: () => 'Require approval for changes',
  protectedText: () =>
    'For everyone, owners too. The kill switch still works, and schedules that are already set take effect.',
  requiredApprovals: () => 'Required approvals',
  people: (count: number) => plural(count, 'person', 'people'),
  shown: (value: string | number | boolean) =>
    typeof value === 'boolean' ? (value ? 'Yes' : 'No') : String(value),
  slugChange: (from: string, to: string) =>
    `Paths change from /v1/client/${from}/flags and /v1/stream/${from} to ${to} right away. Apps that still use ${from} are refused. Those that name no environment, as /v1/evaluate and OpenFeature do, keep working.`,
  delete: () => 'Delete',
  deleteOf: (name: string) => `Delete ${name}`,
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteConfirm: () => 'Delete the environment',
  deleteText: () => 'This cannot be undone. You lose:',
  lostStates: (flags: number) =>
    flags === 0
      ? 'no flag states: the project has no flags'
      : `the states of ${plural(flags, 'flag', 'flags')} here, with their rules, rollouts, variants and schedules; in other environments the flags stay as they are`,
  lostKeys: (count: number, names: readonly string[]) =>
    count === 0
      ? 'no API keys: none is in use'
      : `${plural(count, 'API key', 'API keys')} in use: ${list(names)}. Apps that use ${count === 1 ? 'it' : 'them'} are refused right away`,
  lastUsed: (name: string, iso: string, now: number) => `${name} was used ${ago(iso, now)}`,
  more: (count: number) => `${number(count)} more`,
  deleted: (name: string) => `${name} is deleted.`,
  emptyTitle: () => 'No environments yet',
  empty: () =>
    'Your apps read flags in an environment, for example development or production. Create the first one to continue.',
  back: () => 'All environments',
};
