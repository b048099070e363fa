import { infiniteQueryOptions } from '@tanstack/react-query';
import { api, demand } from '../../../api/client';
import type { components } from '../../../api/schema';

export type Reference = components['schemas']['CodeReference'];

/** Lines that are shown at first, and that each further look adds. */
const PAGE = 50;

/** The lines of code that name a flag. */
export function referencesQuery(projectID: string, flagKey: string) {
  return infiniteQueryOptions({
    queryKey: ['flag', projectID, flagKey, 'references'],
    queryFn: ({ signal, pageParam }) =>
      demand(
        api.GET('/v1/projects/{projectID}/flags/{flagKey}/references', {
          params: { path: { projectID, flagKey }, query: { limit: PAGE, offset: pageParam } },
          signal,
        }),
      ),
    initialPageParam: 0,
    getNextPageParam: last => (last.has_more ? last.offset + last.data.length : undefined),
  });
}
