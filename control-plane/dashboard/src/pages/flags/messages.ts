import { ago, basisPoints, dateTime, moment, number, plural } from '../../messages/format';

const TYPES: Record<string, string> = {
  boolean: 'Boolean',
  string: 'String',
  number: 'Number',
  json: 'JSON',
  ab: 'A/B',
};

const STATES: Record<string, string> = {
  on: 'On for everyone',
  partial: 'On for some',
  off: 'Off',
  scheduled: 'Scheduled',
};

const SORTS: Record<string, string> = {
  key: 'Key',
  name: 'Name',
  created_at: 'Created',
  updated_at: 'Changed',
  last_evaluated_at: 'Last evaluated',
};

export const flagsPage = {
  title: () => 'Flags',
  count: (total: number) => plural(total, 'flag', 'flags'),
  search: () => 'Search key, name or tag',
  filters: () => 'Filters',
  anyType: () => 'Any type',
  type: () => 'Type',
  typeName: (type: string) => TYPES[type] ?? type,
  anyTag: () => 'Any tag',
  tag: () => 'Tag',
  tagCount: (tag: string, count: number) => `${tag} (${number(count)})`,
  anyState: () => 'Any state',
  state: () => 'State',
  stateName: (state: string) => STATES[state] ?? state,
  anyEnvironment: () => 'In any environment',
  environment: () => 'Environment of the state',
  inEnvironment: (name: string) => `In ${name}`,
  sort: () => 'Sort by',
  sortBy: (sort: string) => `By: ${SORTS[sort] ?? sort}`,
  ascending: () => 'Ascending; switch to descending',
  descending: () => 'Descending; switch to ascending',
  clear: () => 'Clear the filters',
  table: () => 'Flags and their state in each environment',
  flag: () => 'Flag',
  more: (count: number) => `+${number(count)}`,
  changed: (iso: string, now: number) => ago(iso, now),
  lastAsked: (iso: string) => `Last evaluated ${dateTime(iso)}`,
  on: () => 'On',
  off: () => 'Off',
  rules: (count: number) => plural(count, 'rule', 'rules'),
  rollout: (points: number) => basisPoints(points),
  variants: (count: number) => plural(count, 'variant', 'variants'),
  pending: (count: number) => plural(count, 'approval pending', 'approvals pending'),
  enableAt: (iso: string, now: number) => `on ${moment(iso, now)}`,
  disableAt: (iso: string, now: number) => `off ${moment(iso, now)}`,
  switchOf: (key: string, environment: string) => `${key} in ${environment}`,
  updatedBy: (name: string, iso: string) => `Changed by ${name}, ${dateTime(iso)}`,
  updated: (iso: string) => `Changed ${dateTime(iso)}`,
  menuOf: (key: string, environment: string) => `More about ${key} in ${environment}`,
  openTargeting: () => 'Open targeting',
  openHistory: () => 'Open history',
  kill: () => 'Kill …',
  byApproval: (environment: string) => `${environment} is protected: flags change there by approval alone.`,
  mayNotToggle: (environment: string) => `You may not switch flags in ${environment}.`,
  reaching: () => 'Reaching the edges…',
  next: () => 'Next flag in the table',
  previous: () => 'Previous flag in the table',
  switchFocused: () => 'Switch the flag where the focus is',
  archived: () => 'Archived flags',
  create: () => 'Create a flag',
  created: (key: string, on: string | null) =>
    on === null
      ? `${key} is created. It is off in every environment.`
      : `${key} is created, and on in ${on}.`,
  createdOff: (key: string, environment: string, why: string) =>
    `${key} is created, but it is still off in ${environment}. ${why}`,
  firstValue: () => 'Default value',
  firstValueText: (type: string) =>
    type === 'boolean'
      ? 'Served while the flag is off, and to whomever targeting leaves out.'
      : 'Served while the flag is off, and to whomever targeting leaves out. Leave it empty for the default of its type.',
  onAtOnce: () => 'Switch it on at once in',
  keyText: () => 'What your software asks for. It cannot be changed later.',
  openExisting: (key: string) => `Open the flag ${key} instead`,
  tags: () => 'Tags',
  tagsText: () => 'With commas between.',
  emptyTitle: () => 'No flags yet',
  empty: () => 'A flag decides at run time what your software does, separately in each environment.',
  noneTitle: () => 'No flag matches',
  none: () => 'Drop a filter, or clear them all.',
  drop: (filter: string, count: number) => `Drop ${filter}: ${plural(count, 'flag', 'flags')}`,
  dropText: (text: string) => `the text “${text}”`,
  dropTag: (tag: string) => `the tag ${tag}`,
  dropType: (type: string) => `the type ${TYPES[type] ?? type}`,
  dropState: (state: string, environment: string | null) =>
    `the state ${STATES[state] ?? state}${environment === null ? '' : ` in ${environment}`}`,
  exampleKey: () => 'new-checkout',
  exampleName: () => 'New checkout',
  noProjectTitle: () => 'No project',
  noProject: () => 'You are not a member of an organization with a project.',
};
