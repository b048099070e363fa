/** What is filtered and how it is sorted, as the address of the page holds it. */

import { oneOf, present, text } from '../routes/search';
import type { OverviewQuery, OverviewSort, StateFilter } from './overview';

export const FLAG_TYPES = ['boolean', 'string', 'number', 'json', 'ab'] as const;
export const STATES: readonly StateFilter[] = ['on', 'partial', 'off', 'scheduled'];
export const SORTS: readonly OverviewSort[] = [
  'created_at',
  'updated_at',
  'key',
  'name',
  'last_evaluated_at',
];

export interface FlagsSearch {
  q?: string;
  tag?: string;
  type?: (typeof FLAG_TYPES)[number];
  state?: StateFilter;
  /** The slug of the environment that `state` is about; any when absent. */
  env?: string;
  sort?: OverviewSort;
  order?: 'asc' | 'desc';
}

export function readFlagsSearch(search: Record<string, unknown>): FlagsSearch {
  return present({
    q: text(search.q),
    tag: text(search.tag),
    type: oneOf(search.type, FLAG_TYPES),
    state: oneOf(search.state, STATES),
    env: text(search.env),
    sort: oneOf(search.sort, SORTS),
    order: oneOf(search.order, ['asc', 'desc']),
  });
}

/** Whether rows may be missing because of a filter. */
export function isFiltered({ q, tag, type, state }: FlagsSearch): boolean {
  return q !== undefined || tag !== undefined || type !== undefined || state !== undefined;
}

/** The query of the API for an address; an environment that is not there filters nothing. */
export function toQuery(
  search: FlagsSearch,
  environments: readonly { id: string; slug: string }[],
): OverviewQuery {
  const environment = environments.find(({ slug }) => slug === search.env);
  const { q, tag, type, state, sort, order } = search;
  return present({
    q,
    tag,
    type,
    state,
    env_id: state === undefined ? undefined : environment?.id,
    sort,
    order,
  });
}

const FILTERS = ['q', 'tag', 'type', 'state'] as const;

export interface Drop {
  filter: (typeof FILTERS)[number];
  /** The address without that filter. */
  rest: FlagsSearch;
}

/** Each filter that is set, and what is left without it. */
export function drops(search: FlagsSearch): Drop[] {
  return FILTERS.filter(filter => search[filter] !== undefined).map(filter => {
    const { [filter]: _, ...rest } = search;
    if (filter === 'state') delete rest.env;
    return { filter, rest };
  });
}
