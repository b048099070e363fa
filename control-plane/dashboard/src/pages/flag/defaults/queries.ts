import { queryOptions } from '@tanstack/react-query';
import { api, demand } from '../../../api/client';
import type { components } from '../../../api/schema';

export type ToldDefault = components['schemas']['ToldDefault'];

/** What the code of apps would use for a flag. */
export function defaultsQuery(projectID: string, flagKey: string) {
  return queryOptions({
    queryKey: ['flag', projectID, flagKey, 'defaults'],
    queryFn: ({ signal }) =>
      demand(
        api.GET('/v1/projects/{projectID}/defaults', {
          params: { path: { projectID }, query: { flag_key: flagKey } },
          signal,
        }),
      ),
  });
}
