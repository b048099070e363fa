import { queryOptions } from '@tanstack/react-query';
import { api, demand } from '../api/client';

/** The environments of a project, for the frame: as many as one page has. */
export function environmentsQuery(projectID: string) {
  return queryOptions({
    queryKey: ['environments', projectID],
    queryFn: ({ signal }) =>
      demand(
        api.GET('/v1/projects/{projectID}/environments', {
          params: { path: { projectID }, query: { limit: 100 } },
          signal,
        }),
      ),
    staleTime: 60_000,
  });
}
