import {
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
  queryOptions,
} from '@tanstack/react-query';
import { api, demand, type Outcome, outcome } from '../../api/client';
import type { Flag, FlagType } from '../../api/model';
import type { components } from '../../api/schema';

export type Unknown = components['schemas']['UnknownFlag'];
export type Stale = components['schemas']['StaleFlagPage']['data'][number];
export type StaleReason = Stale['reasons'][number];
export type Cause = StaleReason['reason'];
export type Impressions = components['schemas']['AggregatedImpression'];

const PAGE = 50;
/** Counts come without an event. */
const AGAIN = 30_000;

/** Flags to choose from: those that fit what is typed. */
export function flagChoicesQuery(projectID: string, q: string) {
  return queryOptions({
    queryKey: ['overview', projectID, 'choices', q],
    queryFn: async ({ signal }) => {
      const { data } = await demand(
        api.GET('/v1/projects/{projectID}/overview', {
          params: { path: { projectID }, query: { q, sort: 'key', order: 'asc', limit: 20 } },
          signal,
        }),
      );
      return data.map(({ id, key, name, flag_type }) => ({ id, key, name, flag_type }));
    },
    placeholderData: keepPreviousData,
  });
}

/** Keys that apps ask for and that no flag has, page after page. */
export function unknownQuery(projectId: string, envId: string | undefined) {
  return infiniteQueryOptions({
    queryKey: ['insights', projectId, 'unknown', envId],
    queryFn: ({ signal, pageParam }) =>
      demand(
        api.GET('/v1/metrics/unknown-flags', {
          params: {
            query: {
              ...(envId === undefined ? { project_id: projectId } : { env_id: envId }),
              limit: PAGE,
              offset: pageParam,
            },
          },
          signal,
        }),
      ),
    initialPageParam: 0,
    getNextPageParam: last => (last.has_more ? last.offset + last.data.length : undefined),
    placeholderData: keepPreviousData,
    refetchInterval: AGAIN,
  });
}

/** Flags that may go. */
export function staleQuery(projectID: string, envId: string | undefined, reason: Cause | undefined) {
  return infiniteQueryOptions({
    // What makes the overview stale makes it stale.
    queryKey: ['overview', projectID, 'stale', envId, reason],
    queryFn: ({ signal, pageParam }) =>
      demand(
        api.GET('/v1/projects/{projectID}/stale-flags', {
          params: {
            path: { projectID },
            query: {
              ...(envId === undefined ? {} : { env_id: envId }),
              ...(reason === undefined ? {} : { reason }),
              limit: PAGE,
              offset: pageParam,
            },
          },
          signal,
        }),
      ),
    initialPageParam: 0,
    getNextPageParam: last => (last.has_more ? last.offset + last.data.length : undefined),
    placeholderData: keepPreviousData,
  });
}

/** Variants that the page lists; an answer may have thousands. */
export const MOST_IMPRESSIONS = 500;

export function impressionsQuery(projectId: string, envId: string | undefined, flagKey: string | undefined) {
  return queryOptions({
    queryKey: ['insights', projectId, 'impressions', envId, flagKey],
    queryFn: async ({ signal }) => {
      const rows = await demand(
        api.GET('/v1/metrics/impressions', {
          params: {
            query: {
              project_id: projectId,
              ...(envId === undefined ? {} : { env_id: envId }),
              ...(flagKey === undefined ? {} : { flag_key: flagKey }),
              limit: MOST_IMPRESSIONS + 1,
            },
          },
          signal,
        }),
      );
      return { rows: rows.slice(0, MOST_IMPRESSIONS), isCut: rows.length > MOST_IMPRESSIONS };
    },
    placeholderData: keepPreviousData,
    refetchInterval: AGAIN,
  });
}

export function createFlag(
  projectID: string,
  flag: { key: string; name: string; flag_type: FlagType },
): Promise<Outcome<Flag>> {
  return outcome(
    api.POST('/v1/projects/{projectID}/flags', {
      params: { path: { projectID }, query: { wait: 'edges' } },
      body: flag,
    }),
  );
}

/** Keeps a flag off the list of stale ones. */
export function markPermanent(
  projectID: string,
  flagKey: string,
  permanent: boolean,
): Promise<Outcome<Flag>> {
  return outcome(
    api.PUT('/v1/projects/{projectID}/flags/{flagKey}', {
      params: { path: { projectID, flagKey } },
      body: { permanent },
    }),
  );
}

export async function refreshUnknown(client: QueryClient, projectId: string): Promise<void> {
  await Promise.all([
    client.invalidateQueries({ queryKey: ['insights', projectId, 'unknown'] }),
    client.invalidateQueries({ queryKey: ['overview', projectId] }),
  ]);
}
