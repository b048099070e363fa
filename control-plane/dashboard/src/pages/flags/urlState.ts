/** Filters and order, as the address of the page has them. */

import { oneOf, present, text } from '../../routes/search';
import { orderOf } from './orders';
import type { OverviewQuery, OverviewSort, StateFilter } from './overview';

export const FLAG_TYPES = ['boolean', 'string', 'number', 'json', 'ab'] as const;
export const STATES: readonly StateFilter[] = ['on', 'partial', 'off', 'scheduled'];
const SORTS: readonly OverviewSort[] = ['created_at', 'updated_at', 'key', 'name', 'last_evaluated_at'];

export interface FlagsSearch {
  q?: string;
  tag?: string;
  type?: (typeof FLAG_TYPES)[number];
  state?: StateFilter;
  /** The slug of the environment that `state` is about; any when absent. */
  env?: string;
  sort?: OverviewSort;
  order?: 'asc' | 'desc';
  /** The member who owns them; `me` and `none` are words of the API. */
  owner?: string;
  stale?: 'true' | 'false';
  /** The archived flags in place of the others. */
  archived?: 'true';
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
    owner: text(search.owner),
    stale: oneOf(search.stale, ['true', 'false']),
    archived: oneOf(search.archived, ['true']),
  });
}

const FILTERS = ['q', 'owner', 'type', 'tag', 'stale', 'state'] as const;
export type Filter = (typeof FILTERS)[number];

/** Whether rows may be missing because of a filter. */
export function isFiltered(search: FlagsSearch): boolean {
  return FILTERS.some(filter => search[filter] !== undefined);
}

/** The query of the API for an address; an environment that is not there filters nothing. */
export function toQuery(
  search: FlagsSearch,
  environments: readonly { id: string; slug: string }[],
): OverviewQuery {
  const environment = environments.find(({ slug }) => slug === search.env);
  const { q, tag, type, state, owner, stale } = search;
  return present({
    q,
    tag,
    type,
    state,
    env_id: state === undefined ? undefined : environment?.id,
    owner_id: owner,
    stale,
    ...orderOf(search),
  });
}

export type Change = { [K in keyof FlagsSearch]?: FlagsSearch[K] | undefined };

/** Each filter that is set, what takes it away, and the search that is left. One alone is the same as clearing all. */
export function droppable(search: FlagsSearch): { filter: Filter; drop: Change; without: FlagsSearch }[] {
  const set = FILTERS.filter(filter => search[filter] !== undefined);
  if (set.length < 2) return [];
  return set.map(filter => {
    const drop: Change = filter === 'state' ? { state: undefined, env: undefined } : { [filter]: undefined };
    return { filter, drop, without: present({ ...search, ...drop }) };
  });
}
