import { Navigate } from '@tanstack/react-router';
import { lastProject } from '../../frame/project';
import { useMe } from '../../session/me';
import { Empty } from '../../ui/Feedback';
import { flagsPage } from '../flags/messages';

/** `/` leads to the flags of the project that was open last. */
export function StartPage() {
  const { projects } = useMe();
  const project = lastProject(projects);
  if (project === undefined)
    return (
      <Empty isPage title={flagsPage.noProjectTitle()}>
        {flagsPage.noProject()}
      </Empty>
    );
  return <Navigate to="/p/$project/flags" params={{ project: project.slug }} replace />;
}
