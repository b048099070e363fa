import { queryOptions } from '@tanstack/react-query';
import { api, demand, type Outcome, outcome } from '../../api/client';
import { MOST_PER_PAGE } from '../../api/pages';
import { evaluationsOf, inUse, MOST_ENVIRONMENTS, MOST_PROJECTS } from './loss';

export function renameOrganization(name: string): Promise<Outcome<unknown>> {
  return outcome(api.PATCH('/v1/organization', { body: { name } }));
}

/** Deletes the organization, which ends the session. */
export function deleteOrganization(name: string, password: string): Promise<Outcome<unknown>> {
  return outcome(api.DELETE('/v1/organization', { body: { name, password } }));
}

/** What is lost; `null` where there is too much to count. */
export interface Loss {
  flags: number | null;
  keysInUse: number | null;
  evaluations: number;
}

/** Flags, keys in use, and evaluations of the last hour. */
export function lossQuery(projectIds: readonly string[]) {
  return queryOptions({
    queryKey: ['organization', 'loss', projectIds],
    queryFn: async ({ signal }): Promise<Loss> => {
      const now = Date.now();
      const to = Math.floor(now / 1000);
      const hour = { from: String(to - 3600), to: String(to), step: '1m' as const };
      const evaluations = evaluationsOf(
        await demand(api.GET('/v1/metrics/series', { params: { query: hour }, signal })),
      );
      if (projectIds.length > MOST_PROJECTS) return { flags: null, keysInUse: null, evaluations };
      const projects = await Promise.all(
        projectIds.map(projectID =>
          demand(
            api.GET('/v1/projects/{projectID}/overview', {
              params: { path: { projectID }, query: { limit: 1 } },
              signal,
            }),
          ),
        ),
      );
      const flags = projects.reduce((sum, { total }) => sum + total, 0);
      const environments = projects.flatMap(project => project.environments);
      if (environments.length > MOST_ENVIRONMENTS) return { flags, keysInUse: null, evaluations };
      const keys = await Promise.all(
        environments.map(({ id }) =>
          demand(
            api.GET('/v1/environments/{envID}/api-keys', {
              params: { path: { envID: id }, query: { limit: MOST_PER_PAGE } },
              signal,
            }),
          ),
        ),
      );
      const keysInUse = keys.reduce((sum, { data }) => sum + inUse(data, now), 0);
      return { flags, keysInUse, evaluations };
    },
  });
}
