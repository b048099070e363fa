import { infiniteQueryOptions } from '@tanstack/react-query';
import { api, demand, type Outcome, outcome } from '../../../api/client';
import type { components } from '../../../api/schema';
import { waiting } from '../../../flagState/comment';

export type ArchivedItem = components['schemas']['FlagItem'];

const PAGE = 50;

/** The archived flags of a project, the latest first. What makes the overview stale makes them stale. */
export function archivedQuery(projectID: string) {
  return infiniteQueryOptions({
    queryKey: ['overview', projectID, 'archived'],
    queryFn: ({ signal, pageParam }) =>
      demand(
        api.GET('/v1/projects/{projectID}/flags', {
          params: { path: { projectID }, query: { archived: true, limit: PAGE, offset: pageParam } },
          signal,
        }),
      ),
    initialPageParam: 0,
    getNextPageParam: last => (last.has_more ? last.offset + last.data.length : undefined),
  });
}

interface Place {
  projectID: string;
  flagKey: string;
}

export function restoreFlag(path: Place, comment: string): Promise<Outcome<unknown>> {
  return outcome(
    api.POST('/v1/projects/{projectID}/flags/{flagKey}/restore', {
      params: { path, query: waiting(comment) },
    }),
  );
}

export function deleteFlag(path: Place, comment: string): Promise<Outcome<unknown>> {
  return outcome(
    api.DELETE('/v1/projects/{projectID}/flags/{flagKey}', {
      params: { path, query: waiting(comment) },
    }),
  );
}
