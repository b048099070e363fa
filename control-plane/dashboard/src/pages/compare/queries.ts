import { infiniteQueryOptions } from '@tanstack/react-query';
import { api, demand } from '../../api/client';
import type { operations } from '../../api/schema';

export type Compared = operations['compareEnvironments']['responses'][200]['content']['application/json'];
export type Differing = Compared['data'][number];

const PAGE_SIZE = 50;

/** The flags that differ between two environments. A page may end early, so the next one begins after what is here. */
export function comparedQuery(projectID: string, from: string, to: string) {
  return infiniteQueryOptions({
    // With the overview: what changes one changes the other.
    queryKey: ['overview', projectID, 'compared', from, to],
    queryFn: ({ pageParam: offset, signal }) =>
      demand(
        api.GET('/v1/projects/{projectID}/compare', {
          params: { path: { projectID }, query: { from, to, limit: PAGE_SIZE, offset } },
          signal,
        }),
      ),
    initialPageParam: 0,
    getNextPageParam: (last: Compared) => (last.has_more ? last.offset + last.data.length : undefined),
  });
}
