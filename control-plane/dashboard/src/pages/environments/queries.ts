import { queryOptions } from '@tanstack/react-query';
import { api, demand, type Outcome, outcome, tagged } from '../../api/client';
import type { components } from '../../api/schema';

export type Environment = components['schemas']['Environment'];
export type EnvironmentFields = Pick<Environment, 'name' | 'slug' | 'color'>;
/** With how it is guarded, which owners and admins decide. */
export type GuardedFields = Pick<Environment, keyof EnvironmentFields | 'protected' | 'required_approvals'>;

/** One environment with its version. */
export function environmentQuery(projectID: string, envID: string) {
  return queryOptions({
    queryKey: ['environments', projectID, 'one', envID],
    queryFn: ({ signal }) =>
      tagged(
        api.GET('/v1/projects/{projectID}/environments/{envID}', {
          params: { path: { projectID, envID } },
          signal,
        }),
      ),
  });
}

/** How many flags a project has: each of them has a state in each environment. */
export function flagCountQuery(projectID: string) {
  return queryOptions({
    queryKey: ['overview', projectID, 'count'],
    queryFn: async ({ signal }) => {
      const { total } = await demand(
        api.GET('/v1/projects/{projectID}/flags', {
          params: { path: { projectID }, query: { limit: 1 } },
          signal,
        }),
      );
      return total;
    },
  });
}

export function createEnvironment(projectID: string, body: EnvironmentFields): Promise<Outcome<Environment>> {
  return outcome(
    api.POST('/v1/projects/{projectID}/environments', { params: { path: { projectID } }, body }),
  );
}

export function updateEnvironment(
  projectID: string,
  envID: string,
  etag: string,
  body: Partial<GuardedFields>,
): Promise<Outcome<Environment>> {
  return outcome(
    api.PUT('/v1/projects/{projectID}/environments/{envID}', {
      params: { path: { projectID, envID }, header: { 'If-Match': etag } },
      body,
    }),
  );
}

export function deleteEnvironment(projectID: string, envID: string, etag: string): Promise<Outcome<unknown>> {
  return outcome(
    api.DELETE('/v1/projects/{projectID}/environments/{envID}', {
      params: { path: { projectID, envID }, header: { 'If-Match': etag } },
    }),
  );
}
