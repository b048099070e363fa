import { queryOptions } from '@tanstack/react-query';
import { api, demand } from '../api/client';

/** The limits of the plan and their use. */
export const usageQuery = queryOptions({
  queryKey: ['usage'],
  queryFn: ({ signal }) => demand(api.GET('/v1/billing/usage', { signal })),
});

/** A limit of the plan: nothing where there is none. */
export interface Limit {
  used: number;
  limit: number;
  isReached: boolean;
}

const UNLIMITED = -1;

export function limitOf(used: number, limit: number): Limit | null {
  return limit === UNLIMITED ? null : { used, limit, isReached: used >= limit };
}
