import { queryOptions } from '@tanstack/react-query';
import { api, demand, tagged } from '../api/client';
import type { Segment } from '../api/model';
import type { StoredState } from './draft';

export function flagQuery(projectID: string, flagKey: string) {
  return queryOptions({
    queryKey: ['flag', projectID, flagKey],
    queryFn: ({ signal }) =>
      demand(
        api.GET('/v1/projects/{projectID}/flags/{flagKey}', {
          params: { path: { projectID, flagKey } },
          signal,
        }),
      ),
  });
}

/** The state of a flag in an environment, with its version. */
export function stateQuery(projectID: string, flagKey: string, envID: string) {
  return queryOptions({
    queryKey: ['flag', projectID, flagKey, 'state', envID],
    queryFn: async ({ signal }): Promise<StoredState> => {
      const { data, etag } = await tagged(
        api.GET('/v1/projects/{projectID}/flags/{flagKey}/environments/{envID}', {
          params: { path: { projectID, flagKey, envID } },
          signal,
        }),
      );
      return { state: data, etag };
    },
  });
}

/** The last change of a flag in an environment: when, and by whom. */
export function lastChangeQuery(projectID: string, flagKey: string, envID: string, etag: string) {
  return queryOptions({
    queryKey: ['flag', projectID, flagKey, 'last-change', envID, etag],
    queryFn: async ({ signal }) => {
      const { data } = await demand(
        api.GET('/v1/projects/{projectID}/flags/{flagKey}/history', {
          params: { path: { projectID, flagKey }, query: { env_id: envID, limit: 1 } },
          signal,
        }),
      );
      return data[0] ?? null;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

const PAGE = 100;
/** Beyond it a list to choose from is of no use, and who needs the others types their key. */
const MOST_SEGMENTS = 1000;

export interface Segments {
  segments: Segment[];
  /** Whether these are all, so that one that is not here does not exist. */
  isComplete: boolean;
}

/** The segments of a project, page after page. */
export function segmentsQuery(projectID: string) {
  return queryOptions({
    queryKey: ['segments', projectID, 'all'],
    queryFn: async ({ signal }): Promise<Segments> => {
      const segments: Segment[] = [];
      for (;;) {
        const page = await demand(
          api.GET('/v1/projects/{projectID}/segments', {
            params: { path: { projectID }, query: { limit: PAGE, offset: segments.length } },
            signal,
          }),
        );
        segments.push(...page.data);
        if (!page.has_more || page.data.length === 0) return { segments, isComplete: true };
        if (segments.length >= MOST_SEGMENTS) return { segments, isComplete: false };
      }
    },
    staleTime: 60_000,
  });
}
