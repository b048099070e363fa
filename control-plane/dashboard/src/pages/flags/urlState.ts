/** Filters and order, as the address of the page has them. */

import { oneOf, present, text } from '../../routes/search';
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
    archived: oneOf(search.archived, ['true']),
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

type Change = { [K in keyof FlagsSearch]?: FlagsSearch[K] | undefined };

/** Each filter that is set, what takes it away, and the search that is left. One alone is the same as clearing all. */
export function droppable(
  search: FlagsSearch,
): { filter: 'q' | 'tag' | 'type' | 'state'; drop: Change; without: FlagsSearch }[] {
  const set = (['q', 'tag', 'type', 'state'] as const).filter(filter => search[filter] !== undefined);
  if (set.length < 2) return [];
  return set.map(filter => {
    const drop: Change = filter === 'state' ? { state: undefined, env: undefined } : { [filter]: undefined };
    return { filter, drop, without: present({ ...search, ...drop }) };
  });
}
