import { agoShort, basisPoints, dateTime, moment, number, plural } from '../../messages/format';

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

const ORDERS: Record<string, { asc: string; desc: string }> = {
  created_at: { desc: 'Newest first', asc: 'Oldest first' },
  updated_at: { desc: 'Recently changed', asc: 'Longest unchanged' },
  name: { asc: 'Name, A to Z', desc: 'Name, Z to A' },
  key: { asc: 'Key, A to Z', desc: 'Key, Z to A' },
  last_evaluated_at: { desc: 'Recently evaluated', asc: 'Longest not evaluated' },
};

const COLUMNS = { status: 'Status', owner: 'Owner', changed: 'Changed', evaluated: 'Evaluated' };

const STATUSES = { new: 'New', active: 'Active', stale: 'Stale', permanent: 'Permanent' };

const STATUS_TEXTS = {
  new: 'Created in the last 7 days, not evaluated yet',
  active: 'Changed or evaluated in the last 30 days',
  stale: 'Not changed or evaluated for 30 days. Open the list of stale flags.',
  permanent: 'Marked as permanent, so it never becomes stale',
};

export const flagsPage = {
  title: () => 'Flags',
  count: (total: number) => plural(total, 'flag', 'flags'),
  search: () => 'Search name, key, description or tag',
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
  order: (sort: string, order: 'asc' | 'desc') => ORDERS[sort]?.[order] ?? sort,
  owner: () => 'Owner',
  anyOwner: () => 'Any owner',
  ownerName: (id: string, name: string | undefined) =>
    id === 'me' ? 'My flags' : id === 'none' ? 'Without an owner' : (name ?? 'Chosen owner'),
  filterOwner: (name: string) => `Show the flags of ${name}`,
  anyStatus: () => 'Any status',
  isStale: (stale: 'true' | 'false') => (stale === 'true' ? 'Stale' : 'Not stale'),
  status: (status: keyof typeof STATUSES) => STATUSES[status],
  statusText: (status: keyof typeof STATUSES) => STATUS_TEXTS[status],
  column: (column: keyof typeof COLUMNS) => COLUMNS[column],
  columns: () => 'Choose columns',
  nothing: () => '–',
  ago: (iso: string, now: number) => agoShort(iso, now),
  neverEvaluated: () => 'Never',
  select: (key: string) => `Select ${key}`,
  selectAll: (total: number, most: number) =>
    total <= most ? 'Select all flags' : `Select the first ${number(most)} flags`,
  selectFocused: () => 'Select the flag in the focused row',
  copyKey: (key: string) => `Copy the key ${key}`,
  copied: (key: string) => `Copied ${key}.`,
  compare: () => 'Compare environments',
  clear: () => 'Clear filters',
  saved: () => 'Saved filters',
  table: () => 'Flags and their state in each environment',
  flag: () => 'Flag',
  more: (count: number) => `+${number(count)}`,
  changedAt: (iso: string, by: string | null) =>
    by === null ? `Changed ${dateTime(iso)}` : `Changed by ${by}, ${dateTime(iso)}`,
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
  menuOf: (key: string) => `Actions for ${key}`,
  byApproval: (environment: string) => `${environment} is protected: changes need approval.`,
  mayNotToggle: (environment: string) =>
    `Your role can't switch flags in ${environment}. An owner or admin can change that.`,
  reaching: () => 'Reaching the edges…',
  next: () => 'Next flag in the table',
  previous: () => 'Previous flag in the table',
  switchFocused: () => 'Switch the focused flag',
  archived: () => 'Archived flags',
  create: () => 'Create a flag',
};
