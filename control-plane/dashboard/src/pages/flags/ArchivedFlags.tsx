import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Refused } from '../../api/refusal';
import { usePolling } from '../../frame/Live';
import type { NamedProject } from '../../frame/project';
import { More } from '../../parts/More';
import { shared } from '../../parts/messages';
import { Empty, Loading, Skeleton } from '../../ui/Feedback';
import { RefusalPage } from '../../ui/RefusalPage';
import { type Column, Table } from '../../ui/Table';
import { useNow } from '../../ui/useNow';
import { ArchivedActions } from '../flag/archived/ArchivedActions';
import { archived } from '../flag/archived/messages';
import { type ArchivedItem, archivedQuery } from '../flag/archived/queries';

/** The archived flags of a project, to restore or to delete for good. */
export default function ArchivedFlags({ project }: { project: NamedProject }) {
  const query = useInfiniteQuery({ ...archivedQuery(project.id), refetchInterval: usePolling() });
  const now = useNow(60_000);
  if (query.data === undefined && query.error instanceof Refused) {
    return <RefusalPage refusal={query.error.refusal} />;
  }
  const flags = query.data?.pages.flatMap(({ data }) => data);
  const columns: Column<ArchivedItem>[] = [
    {
      id: 'flag',
      title: archived.flag(),
      cell: ({ key, name }) => (
        <span className="row">
          <Link to="/p/$project/flags/$key" params={{ project: project.slug, key }}>
            {name}
          </Link>
          <code className="soft small">{key}</code>
        </span>
      ),
    },
    {
      id: 'at',
      title: archived.at(),
      cell: ({ archived_at: at }) => (at == null ? null : <time dateTime={at}>{archived.ago(at, now)}</time>),
    },
    {
      id: 'actions',
      title: shared.actions(),
      isTitleHidden: true,
      cell: ({ key }) => <ArchivedActions projectId={project.id} flagKey={key} />,
    },
  ];
  return (
    <div className="page">
      <div className="stack close">
        <Link to="/p/$project/flags" params={{ project: project.slug }} className="back">
          {archived.back()}
        </Link>
        <div className="row">
          <h1>{archived.list()}</h1>
          <span className="soft" role="status">
            {flags === undefined || flags.length === 0
              ? ''
              : archived.count(query.data?.pages[0]?.total ?? 0)}
          </span>
        </div>
      </div>
      {flags === undefined ? (
        <Loading>
          <Skeleton height="12rem" />
        </Loading>
      ) : flags.length === 0 ? (
        <Empty title={archived.none()}>{archived.lead()}</Empty>
      ) : (
        <>
          <p className="soft">{archived.lead()}</p>
          <Table label={archived.list()} columns={columns} rows={flags} rowId={({ id }) => id} />
        </>
      )}
      <More label={archived.more()} query={query} />
    </div>
  );
}
