import { queryOptions } from '@tanstack/react-query';
import { api, demand } from '../api/client';

/** Rows in which the flag is looked for: those whose key, name or tags contain its key. */
const LOOKED_THROUGH = 100;

/** When a flag was last evaluated in any environment; `null` for never. */
export function lastEvaluatedQuery(projectID: string, flagKey: string) {
  return queryOptions({
    queryKey: ['insights', projectID, 'last-evaluated', flagKey],
    queryFn: async ({ signal }) => {
      const { data } = await demand(
        api.GET('/v1/projects/{projectID}/overview', {
          params: {
            path: { projectID },
            query: { q: flagKey, sort: 'key', order: 'asc', limit: LOOKED_THROUGH },
          },
          signal,
        }),
      );
      return data.find(({ key }) => key === flagKey)?.last_evaluated_at ?? null;
    },
    refetchInterval: 60_000,
  });
}

const LONG_AGO = 30 * 86_400_000;

export function isLongAgo(iso: string, now: number): boolean {
  return now - Date.parse(iso) > LONG_AGO;
}
