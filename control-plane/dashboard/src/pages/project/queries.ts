import { queryOptions } from '@tanstack/react-query';
import { api, demand, type Outcome, outcome } from '../../api/client';
import type { components } from '../../api/schema';

export type Project = components['schemas']['Project'];
export type ProjectFields = Pick<Project, 'name' | 'slug'>;

/** Counts of the things that are deleted with a project. */
export function contentsQuery(projectID: string) {
  return queryOptions({
    queryKey: ['overview', projectID, 'contents'],
    queryFn: async ({ signal }) => {
      const params = { path: { projectID }, query: { limit: 1 } };
      const [flags, segments, environments] = await Promise.all([
        demand(api.GET('/v1/projects/{projectID}/flags', { params, signal })),
        demand(api.GET('/v1/projects/{projectID}/segments', { params, signal })),
        demand(api.GET('/v1/projects/{projectID}/environments', { params, signal })),
      ]);
      return { flags: flags.total, segments: segments.total, environments: environments.total };
    },
    staleTime: 0,
  });
}

export function createProject(body: ProjectFields): Promise<Outcome<Project>> {
  return outcome(api.POST('/v1/projects', { body }));
}

/** As the first project of an organization has them. */
const ENVIRONMENTS = [
  { name: 'Development', slug: 'dev', color: '#22c55e' },
  { name: 'Production', slug: 'production', color: '#ef4444' },
];

/** Gives a new project its environments; `false` where one was refused, as by the plan or the role. */
export async function createEnvironments(projectID: string): Promise<boolean> {
  for (const body of ENVIRONMENTS) {
    const answer = await outcome(
      api.POST('/v1/projects/{projectID}/environments', { params: { path: { projectID } }, body }),
    );
    if (!answer.ok) return false;
  }
  return true;
}

export function updateProject(projectID: string, body: Partial<ProjectFields>): Promise<Outcome<Project>> {
  return outcome(api.PUT('/v1/projects/{projectID}', { params: { path: { projectID } }, body }));
}

export function deleteProject(projectID: string): Promise<Outcome<unknown>> {
  return outcome(api.DELETE('/v1/projects/{projectID}', { params: { path: { projectID } } }));
}
