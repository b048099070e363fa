import { useQuery } from '@tanstack/react-query';
import { environmentsQuery } from '../../frame/environments';
import { type NamedProject, useCurrentProject } from '../../frame/project';
import { Empty } from '../../ui/Feedback';
import { Optional } from '../../ui/Optional';
import { PageLoading } from '../../ui/PageLoading';
import { part } from '../../ui/part';
import { usePageTitle } from '../../ui/usePageTitle';
import { FirstRun } from './FirstRun';
import { onboarding } from './messages';
import styles from './Onboarding.module.css';

const NoProject = part(() => import('../project/NoProject'));

export function OnboardingPage() {
  usePageTitle(onboarding.title());
  const project = useCurrentProject();
  if (project === undefined) {
    return (
      <Optional>
        <NoProject />
      </Optional>
    );
  }
  return (
    <div className={`page ${styles.page}`}>
      <div className="stack close">
        <h1>{onboarding.title()}</h1>
        <p className="soft">{onboarding.lead()}</p>
      </div>
      <Steps project={project} />
    </div>
  );
}

/** In the environment for development, or the first where there is none. */
function Steps({ project }: { project: NamedProject }) {
  const { data, error } = useQuery(environmentsQuery(project.id));
  if (data === undefined) {
    return <PageLoading error={error} height="20rem" />;
  }
  const environment = data.data.find(({ slug }) => slug === 'dev') ?? data.data[0];
  if (environment === undefined)
    return <Empty title={onboarding.noEnvironment()}>{onboarding.noEnvironmentText()}</Empty>;
  return <FirstRun project={project} environment={environment} />;
}
