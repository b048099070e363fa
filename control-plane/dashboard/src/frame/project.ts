import { useParams } from '@tanstack/react-router';
import type { components } from '../api/schema';
import { LAST_PROJECT as LAST } from '../session/kept';
import { useMe } from '../session/me';

export type NamedProject = components['schemas']['NamedProject'];

/** The project that an address names, by its slug or its id. */
export function findProject(projects: readonly NamedProject[], named: string): NamedProject | undefined {
  return projects.find(project => project.slug === named) ?? projects.find(project => project.id === named);
}

/** Kept for this tab only: `/` leads to the project that was open last. */
export function rememberProject(project: NamedProject): void {
  try {
    sessionStorage.setItem(LAST, project.id);
  } catch {
    // Without it `/` leads to the first project.
  }
}

export function lastProject(projects: readonly NamedProject[]): NamedProject | undefined {
  let id: string | null = null;
  try {
    id = sessionStorage.getItem(LAST);
  } catch {
    // As above.
  }
  return projects.find(project => project.id === id) ?? projects[0];
}

/** The project of the address, else the last one: what the frame shows. */
export function useCurrentProject(): NamedProject | undefined {
  const { projects } = useMe();
  const { project } = useParams({ strict: false });
  return project === undefined ? lastProject(projects) : findProject(projects, project);
}

/** The project that a search of an address names, else the last one. */
export function useNamedProject(named: string | undefined): NamedProject | undefined {
  const { projects } = useMe();
  return (named === undefined ? undefined : findProject(projects, named)) ?? lastProject(projects);
}
