import { queryOptions } from '@tanstack/react-query';
import { api, demand } from '../../api/client';
import { MOST_PER_PAGE } from '../../api/pages';
import { FLAG_KEY } from './languages';

/** The flag that the programs ask for, and its state in an environment: nothing is asked for that may not be there. */
export interface FirstFlag {
  isThere: boolean;
  enabled: boolean;
  /** Whether its state in the environment was ever changed. */
  wasChanged: boolean;
}

export function firstFlagQuery(projectID: string, envID: string) {
  return queryOptions({
    queryKey: ['overview', projectID, 'first-run', envID],
    queryFn: async ({ signal }): Promise<FirstFlag> => {
      const { data } = await demand(
        api.GET('/v1/projects/{projectID}/overview', {
          params: { path: { projectID }, query: { q: FLAG_KEY, limit: MOST_PER_PAGE } },
          signal,
        }),
      );
      const flag = data.find(({ key }) => key === FLAG_KEY);
      const state = flag?.states[envID];
      return {
        isThere: flag !== undefined,
        enabled: state?.enabled === true,
        wasChanged: state !== undefined && state.version > 0,
      };
    },
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
