import { queryOptions } from '@tanstack/react-query';
import { api, demand, outcome } from '../../api/client';
import { Refused } from '../../api/refusal';
import { FLAG_KEY } from './languages';

/** The flag that the programs ask for; `null` while there is none. */
export function flagQuery(projectID: string) {
  return queryOptions({
    queryKey: ['onboarding', 'flag', projectID],
    queryFn: async ({ signal }) => {
      const answer = await outcome(
        api.GET('/v1/projects/{projectID}/flags/{flagKey}', {
          params: { path: { projectID, flagKey: FLAG_KEY } },
          signal,
        }),
      );
      if (answer.ok) return answer.data;
      if (answer.refusal.kind === 'absent') return null;
      throw new Refused(answer.refusal);
    },
  });
}

export function stateQuery(projectID: string, envID: string) {
  return queryOptions({
    queryKey: ['onboarding', 'state', projectID, envID],
    queryFn: ({ signal }) =>
      demand(
        api.GET('/v1/projects/{projectID}/flags/{flagKey}/environments/{envID}', {
          params: { path: { projectID, flagKey: FLAG_KEY, envID } },
          signal,
        }),
      ),
  });
}

/** How often the flag was asked for in the environment. */
export function askedQuery(envID: string) {
  return queryOptions({
    queryKey: ['onboarding', 'asked', envID],
    queryFn: async ({ signal }) => {
      const { counters } = await demand(api.GET('/v1/metrics/evaluations', { signal }));
      const own = counters.filter(({ flag_key, env_id }) => flag_key === FLAG_KEY && env_id === envID);
      return own.reduce((sum, { count }) => sum + count, 0);
    },
  });
}

/** The steps that the organization has taken, as the service knows them: every role may read them. */
export const stepsQuery = queryOptions({
  queryKey: ['onboarding', 'steps'],
  queryFn: ({ signal }) => demand(api.GET('/v1/onboarding', { signal })),
});
