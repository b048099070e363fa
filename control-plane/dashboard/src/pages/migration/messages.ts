import { ago, dateTime, number, plural } from '../../messages/format';
import type { Item, Provider, Summary, Verdict } from './queries';

const PROVIDERS: Record<Provider, string> = {
  provider_a: 'LaunchDarkly',
  provider_b: 'Unleash',
  provider_c: 'Flagsmith',
};

const CREDENTIALS: Record<Provider, string> = {
  provider_a: 'An API access token with read access.',
  provider_b: 'An admin or personal token.',
  provider_c: 'An organisation API key.',
};

const ADDRESSES: Record<Provider, string> = {
  provider_a: 'Leave empty for https://app.launchdarkly.com.',
  provider_b: 'Address of your Unleash server, with or without /api.',
  provider_c: 'Leave empty for https://api.flagsmith.com.',
};

const PROJECT_KEYS: Record<Provider, string> = {
  provider_a: 'The key of the project in LaunchDarkly.',
  provider_b: 'The ID of the project in Unleash, for example “default”.',
  provider_c: 'The number of the project in Flagsmith. Leave empty if there is only one.',
};

const CAPABILITIES: Record<string, string> = {
  flags: 'flags',
  environments: 'environments',
  segments: 'segments',
  identities: 'identity overrides',
};

const VERDICTS: Record<Verdict, string> = {
  exact: 'Exact',
  approximated: 'Approximated',
  skipped: 'Skipped',
};

const VERDICT_TEXTS: Record<Verdict, string> = {
  exact: 'Answers as it does at the source, for every user.',
  approximated: 'Imported, but may answer differently. The reasons say when.',
  skipped: 'Not imported. The reason says why.',
};

const KINDS: Record<Item['kind'], string> = { environment: 'Environment', segment: 'Segment', flag: 'Flag' };

const STATUSES: Record<Summary['status'], string> = {
  in_progress: 'Running',
  completed: 'Completed',
  failed: 'Stopped',
};

export const migration = {
  title: () => 'Import from another platform',
  lead: () =>
    'Copies flags, segments and environments from LaunchDarkly, Unleash or Flagsmith. You see what happens to each item before anything is written.',
  start: () => 'Start an import',
  emptyTitle: () => 'No imports yet',
  empty: () =>
    'An import reads your project at the other platform and creates the same flags here. Nothing is changed there, and existing flags here stay as they are.',
  table: () => 'Imports of this organization',
  platform: () => 'Platform',
  providerName: (provider: Provider) => PROVIDERS[provider],
  project: () => 'Project',
  unknownProject: () => 'A deleted project',
  status: () => 'Status',
  statusName: (status: Summary['status']) => STATUSES[status],
  flags: () => 'Flags',
  flagsOf: (imported: number, all: number) => `${number(imported)} of ${number(all)}`,
  started: () => 'Started',
  ago: (iso: string, now: number) => ago(iso, now),
  at: (iso: string) => dateTime(iso),
  report: () => 'Report',
  openReport: (platform: string, iso: string) => `Report of the import from ${platform}, ${dateTime(iso)}`,
  kept: () => 'The reports of the last 20 imports are kept.',

  steps: () => 'Steps of the import',
  step: (name: 'source' | 'target' | 'review') =>
    name === 'source' ? 'Source' : name === 'target' ? 'Target' : 'Review and start',
  cancel: () => 'Cancel the import',
  back: () => 'Back',
  from: () => 'Import from',
  capabilities: (names: readonly string[]) =>
    `Imports ${names.map(name => CAPABILITIES[name] ?? name).join(', ')}.`,
  address: () => 'Address',
  addressText: (provider: Provider) => ADDRESSES[provider],
  projectKey: () => 'Source project',
  projectKeyText: (provider: Provider) => PROJECT_KEYS[provider],
  apiKey: () => 'API token',
  apiKeyText: (provider: Provider) =>
    `${CREDENTIALS[provider]} It is used for this import only, and never stored: it is gone when you leave this page.`,
  connect: () => 'Connect',
  connected: (platform: string) => `Connected to ${platform}.`,

  target: () => 'Import into',
  targetText: () => 'Flags and segments whose keys exist in this project stay as they are.',
  noProject: () => 'Create a project first: use the project menu at the top of the navigation.',
  buckets: () => 'Percentage rollouts',
  ownBuckets: () => 'Same shares',
  ownBucketsText: () => '25% stays 25%, but other users are in it, since platforms hash differently.',
  keepBuckets: () => 'Same users',
  keepBucketsText: () =>
    'Users keep the variant that they have now. All edges must have this version of Halyard or a later one.',
  analyze: () => 'Analyze',
  analyzing: () =>
    'Reading the source. A large project takes up to two minutes; nothing is written, here or there.',

  found: (flags: number, segments: number, environments: number) =>
    `Found ${plural(flags, 'flag', 'flags')}, ${plural(segments, 'segment', 'segments')} and ${plural(environments, 'environment', 'environments')}.`,
  environments: () => 'Environments',
  environmentsText: () => 'Choose where each environment of the source goes. New ones are created.',
  goesTo: (name: string) => `${name} goes to`,
  create: (slug: string) => `New environment: ${slug}`,
  existing: (name: string, slug: string) => `${name} (${slug})`,
  outdated: () => 'You changed where environments go. Analyze again to see what happens to each item.',
  analyzeAgain: () => 'Analyze again',
  items: () => 'What happens to each item',
  itemsOfReport: () => 'What happened to each item',
  all: (count: number) => `All ${number(count)}`,
  show: () => 'Show',
  verdict: (verdict: Verdict) => VERDICTS[verdict],
  verdictText: (verdict: Verdict) => VERDICT_TEXTS[verdict],
  verdictCount: (verdict: Verdict, count: number) => `${VERDICTS[verdict]} ${number(count)}`,
  search: () => 'Search names and reasons',
  shown: (count: number) => plural(count, 'item', 'items'),
  none: () => 'No item matches.',
  noItems: () => 'No item was decided yet.',
  kind: (kind: Item['kind']) => KINDS[kind],
  becomes: (key: string) => `becomes ${key}`,
  read: (approximated: number, skipped: number) =>
    `I have checked ${[
      approximated === 0 ? '' : `the ${number(approximated)} approximated`,
      skipped === 0 ? '' : `the ${number(skipped)} skipped`,
    ]
      .filter(part => part !== '')
      .join(' and ')} ${(skipped > 0 ? skipped : approximated) === 1 ? 'item' : 'items'}.`,
  execute: (count: number, project: string) => `Import ${plural(count, 'item', 'items')} into ${project}`,

  allImports: () => 'All imports',
  reportTitle: (platform: string | null) => (platform === null ? 'Import' : `Import from ${platform}`),
  running: () => 'The import is running. You can leave this page: it goes on, and this page has its report.',
  completed: (project: string | null) =>
    project === null ? 'The import is complete.' : `The import into ${project} is complete.`,
  failed: (reason: string) => `The import stopped: ${reason} Items that were imported stay.`,
  noReason: () => 'it ended before all items were read.',
  toFlags: () => 'Go to the flags',
  stop: () => 'Stop the import',
  stopTitle: () => 'Stop the import?',
  stopText: () => 'Nothing more is imported. Items that were imported stay, and a new import adds the rest.',
  stopped: () => 'The import is stopped.',
  progress: () => 'Progress',
  progressText: (imported: number, all: number) => `${number(imported)} of ${plural(all, 'flag', 'flags')}`,
  importedFlags: () => 'Flags',
  importedEnvironments: () => 'Environments',
  importedSegments: () => 'Segments',
  count: (count: number) => number(count),
  json: () => 'Download JSON',
  csv: () => 'Download CSV',
  fileName: () => 'import',
  columns: () => ['Kind', 'Source', 'Key', 'Verdict', 'Reasons'],
  downloadFailed: () => 'The report could not be read completely, so no file was written. Try again.',
  next: () => 'Then change your code',
  nextText: () =>
    'Use the OpenFeature provider of your language. Run both platforms for a while: ask both, use the old answer, and log differences.',
};
