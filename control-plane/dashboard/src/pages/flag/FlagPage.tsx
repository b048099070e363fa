import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Refused } from '../../api/refusal';
import { flagQuery } from '../../flagState/queries';
import { Deleted } from '../../frame/Deleted';
import { environmentsQuery } from '../../frame/environments';
import { Gone } from '../../frame/Gone';
import { usePolling } from '../../frame/Live';
import { findProject, type NamedProject, rememberProject } from '../../frame/project';
import { KillButton } from '../../kill/KillButton';
import { LeaveWarning } from '../../parts/LeaveWarning';
import { WaitingRequests } from '../../parts/WaitingRequests';
import { useMe } from '../../session/me';
import { Banner, Empty, Loading, Skeleton } from '../../ui/Feedback';
import { Optional } from '../../ui/Optional';
import { part } from '../../ui/part';
import { RefusalPage } from '../../ui/RefusalPage';
import { usePageTitle } from '../../ui/usePageTitle';
import { archived } from './archived/messages';
import { EnvironmentLinks } from './EnvironmentLinks';
import styles from './Flag.module.css';
import { FlagEnvironment } from './FlagEnvironment';
import { FlagHeader } from './FlagHeader';
import { flagWords } from './messages';
import { findEnvironment } from './urlState';
import { useDrafts } from './useDrafts';

const ArchivedFlag = part(() => import('./archived/ArchivedFlag'));

const route = getRouteApi('/framed/p/$project/flags/$key');

export function FlagPage() {
  const { projects } = useMe();
  const { project: named, key } = route.useParams();
  const project = findProject(projects, named);
  if (project === undefined) return <Gone kind="project" named={named} />;
  return <OneFlag key={`${project.id}/${key}`} project={project} flagKey={key} />;
}

function OneFlag({ project, flagKey }: { project: NamedProject; flagKey: string }) {
  usePageTitle(flagKey);
  useEffect(() => rememberProject(project), [project]);
  const { env, tab = 'targeting' } = route.useSearch();
  const refetchInterval = usePolling();
  const [isLeaving, setLeaving] = useState(false);
  const flag = useQuery({ ...flagQuery(project.id, flagKey), refetchInterval, enabled: !isLeaving });
  const environments = useQuery(environmentsQuery(project.id));
  const drafts = useDrafts();

  const failed = [flag, environments].find(({ data, error }) => data === undefined && error !== null);
  if (failed?.error instanceof Refused) {
    if (failed === flag && failed.error.refusal.kind === 'absent')
      return <Gone kind="flag" named={flagKey} projectId={project.id} />;
    return <RefusalPage refusal={failed.error.refusal} />;
  }
  if (flag.data === undefined || environments.data === undefined) {
    return (
      <Loading>
        <div className="stack">
          <Skeleton height="6rem" />
          <Skeleton height="60dvh" />
        </div>
      </Loading>
    );
  }

  const known = environments.data.data;
  const environment = findEnvironment(known, env);
  const unsaved = known.filter(({ id }) => drafts.entries[id] !== undefined);
  const archivedAt = flag.data.archived_at ?? null;
  if (archivedAt !== null && unsaved.length === 0) {
    return (
      <Optional>
        <ArchivedFlag project={project} flag={flag.data} archivedAt={archivedAt} onGoing={setLeaving} />
      </Optional>
    );
  }
  return (
    <div className={`page dense ${styles.page}`}>
      <LeaveWarning names={unsaved.map(({ name }) => name)} />
      <Deleted kind="flag" queryKey={flagQuery(project.id, flagKey).queryKey} error={flag.error} />
      {archivedAt === null ? null : <Banner tone="warn">{archived.meanwhile()}</Banner>}
      <FlagHeader project={project} flag={flag.data}>
        {environment === undefined ? null : (
          <KillButton projectId={project.id} flagKey={flagKey} environments={known} current={environment} />
        )}
      </FlagHeader>
      {known.length === 0 ? (
        <Empty title={flagWords.noEnvironmentsTitle()}>{flagWords.noEnvironments()}</Empty>
      ) : null}
      {environment === undefined && env !== undefined && known.length > 0 ? (
        <Banner tone="warn">{flagWords.noEnvironment(env)}</Banner>
      ) : null}
      <WaitingRequests project={project} flagKey={flagKey} />
      <div className={styles.body}>
        {known.length === 0 ? null : (
          <EnvironmentLinks
            environments={known}
            current={environment}
            unsaved={new Set(unsaved.map(({ id }) => id))}
          />
        )}
        {environment === undefined ? null : (
          <FlagEnvironment
            project={project}
            flag={flag.data}
            environment={environment}
            drafts={drafts}
            tab={tab}
          />
        )}
      </div>
    </div>
  );
}
