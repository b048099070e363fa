import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { NamedProject } from '../../../frame/project';

interface FlagLinkProps {
  project: NamedProject;
  flagKey: string;
  className?: string | undefined;
  children: ReactNode;
}

/** Leads to another flag, in the environment that is open. */
export function FlagLink({ project, flagKey, className, children }: FlagLinkProps) {
  return (
    <Link
      from="/p/$project/flags/$key"
      to="/p/$project/flags/$key"
      params={{ project: project.slug, key: flagKey }}
      search={({ env }) => (env === undefined ? {} : { env })}
      className={className}
    >
      {children}
    </Link>
  );
}
