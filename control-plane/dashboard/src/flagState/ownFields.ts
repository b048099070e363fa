import { queryOptions } from '@tanstack/react-query';
import { api, tagged } from '../api/client';

/** The flag's own fields, with their version. */
export function ownFieldsQuery(projectID: string, flagKey: string) {
  return queryOptions({
    queryKey: ['flag', projectID, flagKey, 'own'],
    queryFn: ({ signal }) =>
      tagged(
        api.GET('/v1/projects/{projectID}/flags/{flagKey}', {
          params: { path: { projectID, flagKey } },
          signal,
        }),
      ),
  });
}
