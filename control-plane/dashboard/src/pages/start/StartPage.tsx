import { Navigate } from '@tanstack/react-router';
import { lastProject } from '../../frame/project';
import { useMe } from '../../session/me';
import { Optional } from '../../ui/Optional';
import { part } from '../../ui/part';

const NoProject = part(() => import('../project/NoProject'));

/** `/` leads to the flags of the project that was open last. */
export function StartPage() {
  const { projects } = useMe();
  const project = lastProject(projects);
  if (project !== undefined)
    return <Navigate to="/p/$project/flags" params={{ project: project.slug }} replace />;
  return (
    <Optional>
      <NoProject />
    </Optional>
  );
}
