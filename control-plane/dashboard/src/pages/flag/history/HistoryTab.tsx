import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { useNames } from '../../../diff/useNames';
import { usePolling } from '../../../frame/Live';
import { AuditLink } from '../../../parts/AuditLink';
import { More } from '../../../parts/More';
import { Button } from '../../../ui/Button';
import { PageLoading } from '../../../ui/PageLoading';
import type { TabProps } from '../tabProps';
import styles from './History.module.css';
import { HistoryEntry } from './HistoryEntry';
import { history } from './messages';
import { historyQuery } from './queries';
import { VersionDetail } from './VersionDetail';

const route = getRouteApi('/framed/p/$project/flags/$key');

/** Who changed what and when; any two versions compared; any of them restored. */
export default function HistoryTab({ project, flag, environment }: TabProps) {
  const { version: open, against } = route.useSearch();
  const navigate = route.useNavigate();
  const names = useNames(project.id);
  const [now] = useState(Date.now);
  const query = useInfiniteQuery({
    ...historyQuery(project.id, flag.key, environment.id),
    refetchInterval: usePolling(),
  });

  const show = useCallback(
    (version: number | undefined, other?: number | 'now') =>
      void navigate({
        search: ({ version: _, against: __, ...search }) => ({
          ...search,
          ...(version === undefined ? {} : { version }),
          ...(other === undefined ? {} : { against: other }),
        }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );

  if (query.data === undefined) {
    return <PageLoading error={query.error} height="50dvh" />;
  }
  const entries = query.data.pages.flatMap(({ data }) => data);
  const total = query.data.pages[0]?.total ?? 0;
  const detail = (version: number) => (
    <VersionDetail
      key={version}
      project={project}
      flag={flag}
      environment={environment}
      version={version}
      against={against}
      entries={entries}
      isComplete={!query.hasNextPage}
      names={names}
      onAgainst={other => show(version, other)}
      onClose={() => show(undefined)}
    />
  );
  return (
    <div className="stack">
      <p className="soft">
        {history.about(environment.name)} <span role="status">{history.count(total)}</span>{' '}
        <AuditLink resourceId={flag.id} />
      </p>
      {open !== undefined && !entries.some(({ version }) => version === open) ? (
        <section className="stack close" aria-labelledby="version">
          <div className="row apart">
            <h2 id="version">{history.version(open)}</h2>
            <Button look="quiet" onPress={() => show(undefined)}>
              {history.close()}
            </Button>
          </div>
          {detail(open)}
        </section>
      ) : null}
      <ol className={styles.list} aria-label={history.versions()}>
        {entries.map((entry, index) => (
          <HistoryEntry
            key={entry.version}
            projectId={project.id}
            flagKey={flag.key}
            envId={environment.id}
            entry={entry}
            before={entries[index + 1]?.version}
            isLast={index === entries.length - 1 && !query.hasNextPage}
            isNow={index === 0}
            isOpen={entry.version === open}
            names={names}
            now={now}
            onOpen={isOpen => show(isOpen ? entry.version : undefined)}
          >
            {entry.version === open ? detail(entry.version) : null}
          </HistoryEntry>
        ))}
      </ol>
      <More label={history.more()} query={query} />
    </div>
  );
}
