/** The limits of a token in words. */
import { roleName } from '../parts/messages';
import { accessTokens as words } from './messages';
import type { AccessToken, Role } from './queries';

/** Names that are written out; the others are counted. */
const NAMED = 3;

interface Named {
  id: string;
  name: string;
}

export interface NamedEnvironment extends Named {
  project_id: string;
}

type Limits = Pick<AccessToken, 'role' | 'project_ids' | 'env_ids' | 'read_only'>;

/** A line for each limit; none for a token that may do all that its holder may. */
export function limitsOf(
  token: Limits,
  projects: readonly Named[],
  environments: readonly NamedEnvironment[],
): string[] {
  const { role, project_ids, env_ids, read_only } = token;
  const projectName = (id: string) => projects.find(project => project.id === id)?.name;
  const environmentName = (id: string) => {
    const found = environments.find(environment => environment.id === id);
    const project = found === undefined ? undefined : projectName(found.project_id);
    // Most projects have environments of the same names.
    return found === undefined || project === undefined || project_ids?.length === 1
      ? found?.name
      : words.environmentOf(found.name, project);
  };
  return [
    ...(role === null ? [] : [words.atMost(roleName(role))]),
    ...(read_only ? [words.readOnly()] : []),
    ...(project_ids === null ? [] : [words.inProjects(...split(project_ids, projectName))]),
    ...(env_ids === null ? [] : [words.inEnvironments(...split(env_ids, environmentName))]),
  ];
}

/** The first names that are known, and the number of the others. */
function split(ids: readonly string[], nameOf: (id: string) => string | undefined): [string[], number] {
  const known = ids.map(nameOf).filter(name => name !== undefined);
  const shown = known.slice(0, NAMED);
  return [shown, ids.length - shown.length];
}

const RISING: readonly Role[] = ['viewer', 'developer', 'admin', 'owner'];

/** The roles that a token of somebody with this role can be limited to, the least first. */
export function rolesUpTo(role: Role): readonly Role[] {
  return RISING.slice(0, RISING.indexOf(role) + 1);
}
