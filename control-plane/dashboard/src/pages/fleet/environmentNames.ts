import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { environmentsQuery } from '../../frame/environments';
import { useMe } from '../../session/me';
import { fleetPage as words } from './messages';

/** Projects whose environments are named; those of others are shown by their ids. */
const MOST_PROJECTS = 20;

export interface NamedEnvironment {
  id: string;
  label: string;
  projectSlug: string;
  slug: string;
}

export interface Environments {
  all: readonly NamedEnvironment[];
  label: (id: string) => string;
  find: (id: string) => NamedEnvironment | undefined;
}

/** The environments of the organization by name; with the project's where there are several. */
export function useEnvironments(): Environments {
  const { projects, permissions } = useMe();
  const asked = permissions.includes('environments.read') ? projects.slice(0, MOST_PROJECTS) : [];
  const all = useQueries({
    queries: asked.map(({ id }) => environmentsQuery(id)),
    combine: results =>
      results.flatMap(({ data }, at) => {
        const project = asked[at];
        if (data === undefined || project === undefined) return [];
        return data.data.map<NamedEnvironment>(({ id, name, slug }) => ({
          id,
          label: asked.length > 1 ? words.environmentOf(name, project.name) : name,
          projectSlug: project.slug,
          slug,
        }));
      }),
  });
  return useMemo(() => {
    const byId = new Map(all.map(environment => [environment.id, environment]));
    return {
      all,
      find: id => byId.get(id),
      label: id => byId.get(id)?.label ?? words.unknownEnvironment(id),
    };
  }, [all]);
}
