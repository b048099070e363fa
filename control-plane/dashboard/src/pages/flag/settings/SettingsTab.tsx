import { useQuery } from '@tanstack/react-query';
import { ownFieldsQuery } from '../../../flagState/ownFields';
import { usePolling } from '../../../frame/Live';
import { PageLoading } from '../../../ui/PageLoading';
import { DefaultsCard } from '../defaults/DefaultsCard';
import { DependenciesCard } from '../dependencies/DependenciesCard';
import { ReferencesCard } from '../references/ReferencesCard';
import type { TabProps } from '../tabProps';
import { ArchiveCard } from './ArchiveCard';
import { OwnFieldsCard } from './OwnFieldsCard';
import { PromoteCard } from './PromoteCard';

/** The flag's own fields, promoting and archiving. */
export default function SettingsTab(props: TabProps) {
  const { project, flag } = props;
  const own = useQuery({ ...ownFieldsQuery(project.id, flag.key), refetchInterval: usePolling() });
  if (own.data !== undefined) {
    return (
      <div className="stack">
        <OwnFieldsCard {...props} flag={own.data.data} etag={own.data.etag} />
        <DependenciesCard project={project} flagKey={flag.key} />
        <DefaultsCard project={project} flagKey={flag.key} />
        <ReferencesCard project={project} flagKey={flag.key} />
        <PromoteCard {...props} />
        <ArchiveCard {...props} etag={own.data.etag} />
      </div>
    );
  }
  return <PageLoading error={own.error} height="50dvh" />;
}
