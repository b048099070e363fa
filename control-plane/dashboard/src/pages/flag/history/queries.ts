import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, demand, type Outcome, outcome } from '../../../api/client';
import type { components } from '../../../api/schema';
import { waiting } from '../../../flagState/comment';

export type Entry = components['schemas']['FlagVersionItem'];
export type FlagVersion = components['schemas']['FlagVersion'];

const PAGE = 20;

/** The versions of a flag in an environment, those of its own fields among them; the newest first. */
export function historyQuery(projectID: string, flagKey: string, envID: string) {
  return infiniteQueryOptions({
    queryKey: ['flag', projectID, flagKey, 'history', envID],
    queryFn: ({ signal, pageParam }) =>
      demand(
        api.GET('/v1/projects/{projectID}/flags/{flagKey}/history', {
          params: {
            path: { projectID, flagKey },
            query: { env_id: envID, limit: PAGE, offset: pageParam },
          },
          signal,
        }),
      ),
    initialPageParam: 0,
    getNextPageParam: last => (last.has_more ? last.offset + last.data.length : undefined),
  });
}

/** The flag and its state at a version. It never changes, so no event makes it stale. */
export function versionQuery(projectID: string, flagKey: string, envID: string, version: number) {
  return queryOptions({
    queryKey: ['flag-version', projectID, flagKey, envID, version],
    queryFn: ({ signal }) =>
      demand(
        api.GET('/v1/projects/{projectID}/flags/{flagKey}/history/{version}', {
          params: { path: { projectID, flagKey, version }, query: { env_id: envID } },
          signal,
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

interface Restoring {
  projectId: string;
  flagKey: string;
  envId: string;
  version: number;
  /** The state whose difference was shown. */
  etag: string;
  comment: string;
}

/** Restores the state of a version, unless it was saved since the difference was shown. */
export function restore({
  projectId,
  flagKey,
  envId,
  version,
  etag,
  comment,
}: Restoring): Promise<Outcome<unknown>> {
  return outcome(
    api.POST('/v1/projects/{projectID}/flags/{flagKey}/rollback', {
      params: { path: { projectID: projectId, flagKey }, query: waiting(comment) },
      headers: { 'if-match': etag },
      body: { env_id: envId, version },
    }),
  );
}
