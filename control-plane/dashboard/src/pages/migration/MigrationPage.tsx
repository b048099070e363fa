import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { Refused } from '../../api/refusal';
import { useMe } from '../../session/me';
import { Banner, Skeleton } from '../../ui/Feedback';
import { PageLoading } from '../../ui/PageLoading';
import { usePageTitle } from '../../ui/usePageTitle';
import { Downloads } from './Downloads';
import { ImportStatus } from './ImportStatus';
import { Items } from './Items';
import { migration as words } from './messages';
import { migrationsQuery, reportQuery, type Status, statusQuery, type Verdict, wholeReport } from './queries';
import { VerdictFilter } from './VerdictFilter';
import { total } from './verdicts';

const route = getRouteApi('/framed/migration/$id');

/** An import while it runs, and its report afterwards: as long as it is kept, it is found here. */
export function MigrationPage() {
  const { id } = route.useParams();
  const status = useQuery(statusQuery(id));
  const list = useQuery(migrationsQuery);
  const { projects } = useMe();
  const summary = list.data?.data.find(({ migration_id }) => migration_id === id);
  const title = words.reportTitle(summary === undefined ? null : words.providerName(summary.provider));
  usePageTitle(title);
  if (status.data === undefined) {
    return <PageLoading error={status.error} height="60dvh" />;
  }
  const project = projects.find(project => project.id === summary?.target_project_id) ?? null;
  return (
    <div className="page">
      <div className="stack close">
        <Link to="/migration" className="back">
          {words.allImports()}
        </Link>
        <h1>{title}</h1>
      </div>
      <ImportStatus status={status.data} project={project} />
      <Report key={id} status={status.data} platform={summary?.provider ?? null} />
    </div>
  );
}

interface ReportProps {
  status: Status;
  platform: Parameters<typeof words.providerName>[0] | null;
}

function Report({ status, platform }: ReportProps) {
  const id = status.migration_id;
  const client = useQueryClient();
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const report = useInfiniteQuery(reportQuery(id, verdict));
  const { fetchNextPage, isFetchingNextPage } = report;
  const more = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, isFetchingNextPage]);

  // Items are decided while the import runs.
  const progress = `${status.status} ${status.flags_imported} ${status.segments_imported}`;
  useEffect(() => {
    if (progress !== '') void client.invalidateQueries({ queryKey: ['migrations', 'report', id] });
    void client.invalidateQueries({ queryKey: migrationsQuery.queryKey });
  }, [progress, id, client]);

  const pages = report.data?.pages;
  const first = pages?.[0];
  return (
    <section className="card" aria-labelledby="import-items">
      <div className="row apart">
        <h2 id="import-items">{words.itemsOfReport()}</h2>
        <Downloads
          name={platform === null ? [] : [words.providerName(platform)]}
          about={{ ...status, counts: first?.counts }}
          items={() => wholeReport(id)}
        />
      </div>
      {first !== undefined && pages !== undefined ? (
        <>
          <VerdictFilter counts={first.counts} value={verdict} onChange={setVerdict} />
          {first.total === 0 ? (
            <p>{total(first.counts) === 0 ? words.noItems() : words.none()}</p>
          ) : (
            <Items
              label={words.itemsOfReport()}
              items={pages.flatMap(page => page.data)}
              total={first.total}
              onEnd={more}
            />
          )}
        </>
      ) : report.error instanceof Refused ? (
        <Banner tone="bad">{words.downloadFailed()}</Banner>
      ) : (
        <Skeleton height="16rem" />
      )}
    </section>
  );
}
