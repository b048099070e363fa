import { queryOptions } from '@tanstack/react-query';
import { api, demand } from '../api/client';
import type { components } from '../api/schema';

export type Grant = components['schemas']['GrantStanding'];

/** The grants that this person can use in an environment. */
export function myGrantsQuery(projectID: string, envId: string) {
  return queryOptions({
    queryKey: ['grants', projectID, 'mine', envId],
    queryFn: async ({ signal }) => {
      const query = { env_id: envId, mine: true };
      const answer = api.GET('/v1/projects/{projectID}/grants', {
        params: { path: { projectID }, query },
        signal,
      });
      return (await demand(answer)).data;
    },
    staleTime: 10_000,
  });
}
