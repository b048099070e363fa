import { type ReactNode, useEffect } from 'react';
import { useMe } from '../session/me';
import { Gone } from './Gone';
import { findProject, type NamedProject, rememberProject } from './project';

interface WithProjectProps {
  /** The project as the address names it. */
  named: string;
  children: (project: NamedProject) => ReactNode;
}

/** A page of a project, or what is said when there is none of that name. */
export function WithProject({ named, children }: WithProjectProps) {
  const { projects } = useMe();
  const project = findProject(projects, named);
  useEffect(() => {
    if (project !== undefined) rememberProject(project);
  }, [project]);
  if (project === undefined) return <Gone kind="project" named={named} />;
  return children(project);
}
