import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, demand } from '../../api/client';
import type { OverviewQuery } from './overview';

/** Rows that one request asks for. */
export const PAGE_SIZE = 100;

/** One page of flags with their states in all environments. */
export function overviewQuery(projectID: string, query: OverviewQuery, page: number) {
  return queryOptions({
    queryKey: ['overview', projectID, query, page],
    queryFn: ({ signal }) =>
      demand(
        api.GET('/v1/projects/{projectID}/overview', {
          params: { path: { projectID }, query: { ...query, limit: PAGE_SIZE, offset: page * PAGE_SIZE } },
          signal,
        }),
      ),
    gcTime: 60_000,
    placeholderData: keepPreviousData,
  });
}

/** How many flags a query finds. */
export function totalQuery(projectID: string, query: OverviewQuery) {
  return queryOptions({
    queryKey: ['flag-total', projectID, query],
    queryFn: async ({ signal }) => {
      const { total } = await demand(
        api.GET('/v1/projects/{projectID}/overview', {
          params: { path: { projectID }, query: { ...query, limit: 1 } },
          signal,
        }),
      );
      return total;
    },
  });
}
