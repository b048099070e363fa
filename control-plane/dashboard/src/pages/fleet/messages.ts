import { ago, agoToTheSecond, date, dateTime, list, number, plural } from '../../messages/format';
import type { EdgeState, Sort } from './rows';

const STATES: Record<EdgeState, string> = {
  live: 'Live',
  behind: 'Behind',
  away: 'Away',
  never: 'Not joined yet',
};

const SORTS: Record<Sort, string> = {
  trouble: 'Problems first',
  name: 'Name',
  region: 'Region',
  rtt: 'Slowest first',
  rate: 'Busiest first',
};

const ACTIONS: Record<string, string> = {
  'flag.killed': 'killed',
  'flag.created': 'created',
  'flag.updated': 'changed',
  'flag.deleted': 'deleted',
  'flag.archived': 'archived',
  'flag.restored': 'restored',
  'flag.state_updated': 'changed',
  'flag.approved_change_applied': 'changed after approval',
  'flag.promoted': 'copied here',
  'flag.rolled_back': 'rolled back',
  'flag.scheduled_toggle': 'switched on schedule',
  'segment.created': 'created',
  'segment.updated': 'changed',
  'segment.deleted': 'deleted',
  'api_key.created': 'API key created',
  'api_key.rotated': 'API key rotated',
  'api_key.revoked': 'API key revoked',
  'api_key.rehearsal_started': 'Outage rehearsed',
  'api_key.rehearsal_stopped': 'Rehearsal stopped',
  'environment.created': 'Environment created',
  'environment.updated': 'Environment changed',
};

const ms = (value: number) => `${number(Math.round(value * 10) / 10)} ms`;
const versions = (count: number) => plural(count, 'version', 'versions');

export const fleetPage = {
  title: () => 'Fleet',
  lead: () =>
    'Edges answer your applications. See whether each one serves your latest changes, and how fast they arrived.',
  enroll: () => 'Add an edge',
  environment: () => 'Environment',
  allEnvironments: () => 'All environments',
  unknownEnvironment: (id: string) => `Environment ${id.slice(0, 8)}`,
  environmentOf: (name: string, project: string) => `${name} (${project})`,

  summary: () => 'Summary',
  connected: () => 'Connected edges',
  ofEnrolled: (connected: number, total: number) => `${number(connected)} of ${number(total)}`,
  environmentsBehind: () => 'Environments behind',
  count: (value: number) => number(value),
  slowest: () => 'Slowest round trip',
  slowestOf: (value: number, name: string) => `${ms(value)}, ${name}`,
  none: () => '–',
  evaluations: () => 'Evaluations a minute',

  attention: (count: number) => `${plural(count, 'edge needs', 'edges need')} attention`,
  allWell: () => 'Every connected edge serves the latest changes.',
  away: (name: string, seen: string | null, now: number) =>
    seen === null ? `${name} is away` : `${name} is away, last seen ${agoToTheSecond(seen, now)}`,
  late: (name: string) => `${name} is behind`,
  endsText: (name: string, iso: string) => `The certificate of ${name} ends on ${date(iso)}`,
  lagIn: (count: number, environment: string, since: string, now: number) =>
    `${versions(count)} behind in ${environment}, first change ${agoToTheSecond(since, now)}`,
  upToDate: () => 'nothing has changed since',
  lagUnknown: () => 'what it serves is not known',
  both: (first: string, second: string) => `${first}: ${second}`,
  more: (count: number) => `and ${number(count)} more, in the table below`,

  pictureTitle: () => 'Map',
  picture: () => 'Control plane, relays and edges',
  controlPlane: () => 'Control plane',
  relay: (name: string) => `Relay ${name}`,
  regionTitle: (region: string | null, count: number) =>
    `${region ?? 'All regions'} · ${plural(count, 'edge', 'edges')}`,
  apart: (count: number) => `Not connected · ${plural(count, 'edge', 'edges')}`,
  moreEdges: (count: number) => `+ ${number(count)} more`,
  legend: () => 'Legend',

  edges: () => 'Edges',
  search: () => 'Search by name, region, relay or build',
  stateFilter: () => 'State',
  anyState: () => 'Any state',
  state: (state: EdgeState) => STATES[state],
  sortBy: () => 'Sort by',
  sort: (sort: Sort) => SORTS[sort],
  noMatch: () => 'No edge matches.',
  clearFilters: () => 'Clear the filters',
  shown: (count: number, total: number) => `${number(count)} of ${plural(total, 'edge', 'edges')}`,
  showMore: () => 'Show 50 more',

  name: () => 'Edge',
  region: () => 'Region',
  anyRegion: () => 'All',
  version: () => 'Version',
  served: () => 'Changes',
  versionOf: (version: number) => number(version),
  current: () => 'Up to date',
  notHeld: () => 'Not held',
  ofRelay: () => 'Known to its relay',
  unknown: () => 'Unknown',
  behind: (count: number, seconds: number) =>
    `${versions(count)}, ${seconds < 120 ? `${number(seconds)} s` : `${number(Math.round(seconds / 60))} min`} behind`,
  behindIn: (count: number, environments: number) =>
    `Up to ${versions(count)} behind in ${plural(environments, 'environment', 'environments')}`,
  versionsBehind: () => 'Versions behind',
  behindWhere: () => 'Behind in',
  kindTitle: () => 'Kind',
  lastSeenTitle: () => 'Last seen',
  rttMs: () => 'Round trip (ms)',
  rtt: () => 'Round trip',
  ms,
  rate: () => 'Evals/min',
  since: () => 'Connected since',
  lastSeen: (iso: string, now: number) => `Seen ${agoToTheSecond(iso, now)}`,
  ago: (iso: string, now: number) => ago(iso, now),
  time: (iso: string) => dateTime(iso),
  build: () => 'Build',
  certificate: () => 'Certificate',
  endsOn: (iso: string) => date(iso),
  endsIn: (days: number) =>
    days < 0 ? 'Expired' : days === 0 ? 'Ends today' : `Ends in ${plural(days, 'day', 'days')}`,
  via: () => 'Via',
  direct: () => 'Control plane',
  kind: (kind: string) => (kind === 'relay' ? 'Relay' : kind === 'built-in' ? 'Built in' : 'Edge'),
  /** Begins with the text that is shown. */
  markLabel: (name: string, kind: string, region: string | null, state: EdgeState, behind: number) =>
    [
      kind === 'relay' ? `Relay ${name}` : kind === 'built-in' ? `${name}: built-in edge` : `${name}: edge`,
      region ?? 'all regions',
      STATES[state].toLowerCase(),
      ...(behind > 0 ? [`${versions(behind)} behind`] : []),
    ].join(', '),

  waveTitle: () => 'How changes reached the edges',
  waveLead: () =>
    'Milliseconds from the moment a change was ready to send until each edge served it. A relay answers for the edges below it.',
  change: () => 'Change',
  changeLabel: (what: string, environment: string, iso: string, now: number) =>
    `${what} in ${environment}, ${agoToTheSecond(iso, now)}`,
  what: (key: string | null, action: string | null) =>
    action === null ? 'A change' : [key, ACTIONS[action] ?? action].filter(Boolean).join(' '),
  killed: () => 'Killed',
  earlier: () => 'Show the last 100 changes',
  openFlag: (key: string) => `Open ${key}`,
  openSegment: (key: string) => `Open ${key}`,
  median: () => 'Median',
  last: () => 'Last',
  lastOf: (value: number, name: string) => `${ms(value)}, ${name}`,
  serving: () => 'Serving',
  ofEdges: (served: number, total: number) => `${number(served)} of ${plural(total, 'edge', 'edges')}`,
  prepared: () => 'Time to publish',
  size: () => 'Size',
  bytes: (count: number) => plural(count, 'byte', 'bytes'),
  urgent: () => 'Sent before everything else, because it only switches flags off.',
  missing: (names: readonly string[]) => `Not there after ten seconds: ${list(names)}`,
  waiting: (names: readonly string[]) => `Waiting for ${list(names)}`,
  someMissing: (names: readonly string[], more: number) =>
    more > 0 ? [...names, `${number(more)} more`] : [...names],
  waveTable: () => 'Edges by time',
  after: () => 'After',
  noWaves: () => 'No change has been sent since the control plane started. Change a flag to see it arrive.',
  nobodyServed: () => 'No edge has served this change yet.',

  emptyTitle: () => 'Only the built-in edge',
  empty: () =>
    'The control plane answers your applications itself. Add an edge near your users, so that flags are answered without the control plane.',
};
