import { queryOptions } from '@tanstack/react-query';
import { api, demand } from '../api/client';

/** The flags that need this one, and where they are on. Every change of a flag of the project may change them. */
export function dependantsQuery(projectID: string, flagKey: string) {
  return queryOptions({
    queryKey: ['flag', projectID, flagKey, 'dependants'],
    queryFn: ({ signal }) =>
      demand(
        api.GET('/v1/projects/{projectID}/flags/{flagKey}/dependants', {
          params: { path: { projectID, flagKey } },
          signal,
        }),
      ),
  });
}
