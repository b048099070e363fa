/** The orders of the table, each by one name. */
import type { OverviewSort } from './overview';

export interface Order {
  sort: OverviewSort;
  order: 'asc' | 'desc';
}

export const NEWEST: Order = { sort: 'created_at', order: 'desc' };

export const ORDERS: readonly Order[] = [
  NEWEST,
  { sort: 'created_at', order: 'asc' },
  { sort: 'updated_at', order: 'desc' },
  { sort: 'updated_at', order: 'asc' },
  { sort: 'name', order: 'asc' },
  { sort: 'name', order: 'desc' },
  { sort: 'key', order: 'asc' },
  { sort: 'key', order: 'desc' },
  { sort: 'last_evaluated_at', order: 'desc' },
  { sort: 'last_evaluated_at', order: 'asc' },
];

/** The order that an address means: newest first without one, and a sort without an order ascends. */
export function orderOf(search: { sort?: OverviewSort; order?: 'asc' | 'desc' }): Order {
  if (search.sort === undefined) return { ...NEWEST, order: search.order ?? NEWEST.order };
  return { sort: search.sort, order: search.order ?? 'asc' };
}

export function orderId({ sort, order }: Order): string {
  return `${sort} ${order}`;
}
