import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { DraftContext, type StoredState } from '../../flagState/draft';
import { stateQuery } from '../../flagState/queries';
import { usePolling } from '../../frame/Live';
import { Optional } from '../../ui/Optional';
import { PageLoading } from '../../ui/PageLoading';
import { Tabs } from '../../ui/Tabs';
import styles from './Flag.module.css';
import { flagWords } from './messages';
import type { TabProps } from './tabProps';
import { TABS } from './tabs';
import type { FlagTab } from './urlState';
import { type Drafts, useDraftOf } from './useDrafts';

interface FlagEnvironmentProps extends TabProps {
  drafts: Drafts;
  tab: FlagTab;
}

/** The flag in one environment: its draft, and the tabs that work on it. */
export function FlagEnvironment(props: FlagEnvironmentProps) {
  const { project, flag, environment } = props;
  const stored = useQuery({
    ...stateQuery(project.id, flag.key, environment.id),
    refetchInterval: usePolling(),
  });
  if (stored.data !== undefined) return <Drafted {...props} stored={stored.data} />;
  return <TabLoading error={stored.error} />;
}

function Drafted({
  project,
  flag,
  environment,
  drafts,
  tab,
  stored,
}: FlagEnvironmentProps & { stored: StoredState }) {
  const navigate = useNavigate({ from: '/p/$project/flags/$key' });
  const draft = useDraftOf(drafts, environment.id, stored);
  const open = TABS.find(({ id }) => id === tab) ?? TABS[0];
  return (
    <DraftContext value={draft}>
      <Tabs
        isInline
        label={flagWords.tabs()}
        value={open?.id ?? ''}
        onChange={next =>
          void navigate({
            to: '.',
            search: ({ env }) => ({ ...(env === undefined ? {} : { env }), tab: next as FlagTab }),
            resetScroll: false,
          })
        }
        tabs={TABS.map(({ id, Panel }) => ({
          id,
          label: flagWords.tabName(id),
          content: (
            <Optional fallback={<TabLoading />}>
              <Panel key={environment.id} project={project} flag={flag} environment={environment} />
            </Optional>
          ),
        }))}
      />
    </DraftContext>
  );
}

function TabLoading({ error = null }: { error?: Error | null }) {
  return (
    <div className={styles.loading}>
      <PageLoading error={error} height="50dvh" />
    </div>
  );
}
