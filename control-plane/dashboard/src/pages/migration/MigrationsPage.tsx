import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { ListPage } from '../../parts/ListPage';
import { useMay } from '../../parts/MayNot';
import { useMe } from '../../session/me';
import { Chip } from '../../ui/Chip';
import { Loading, Skeleton } from '../../ui/Feedback';
import { Optional } from '../../ui/Optional';
import { type Column, Table } from '../../ui/Table';
import { useNow } from '../../ui/useNow';
import { usePageTitle } from '../../ui/usePageTitle';
import { migration as words } from './messages';
import { migrationsQuery, type Summary } from './queries';
import { Wizard } from './Wizard';

const EXAMPLE = {
  provider: 'provider_b',
  api_key: 'TOKEN',
  base_url: 'https://unleash.example.com',
  project_key: 'default',
  target_project_id: 'my-project',
};

export function MigrationsPage() {
  usePageTitle(words.title());
  const list = useQuery(migrationsQuery);
  const mayImport = useMay('migration.run');
  const [isImporting, setImporting] = useState(false);
  const begin = useCallback(() => setImporting(true), []);

  if (isImporting) {
    return (
      <Optional
        fallback={
          <Loading>
            <Skeleton height="24rem" />
          </Loading>
        }
      >
        <Wizard onLeave={() => setImporting(false)} />
      </Optional>
    );
  }
  return (
    <ListPage
      title={words.title()}
      lead={words.lead()}
      permit="migration.run"
      list={{ ...list, isLoaded: list.data !== undefined }}
      create={{ id: 'start-import', label: words.start(), isAllowed: mayImport, run: begin }}
      empty={{
        isEmpty: list.data?.total === 0,
        title: words.emptyTitle(),
        text: words.empty(),
        request: { method: 'POST', path: '/v1/migration/analyze', body: EXAMPLE },
      }}
      footer={
        list.data === undefined || list.data.total === 0 ? null : <p className="soft">{words.kept()}</p>
      }
    >
      <ImportTable imports={list.data?.data ?? []} />
    </ListPage>
  );
}

function ImportTable({ imports }: { imports: readonly Summary[] }) {
  const { projects } = useMe();
  const now = useNow(30_000);
  const columns: Column<Summary>[] = [
    { id: 'platform', title: words.platform(), cell: ({ provider }) => words.providerName(provider) },
    {
      id: 'project',
      title: words.project(),
      cell: ({ target_project_id }) =>
        projects.find(({ id }) => id === target_project_id)?.name ?? words.unknownProject(),
    },
    {
      id: 'status',
      title: words.status(),
      cell: ({ status }) => (
        <Chip tone={status === 'completed' ? 'good' : status === 'failed' ? 'warn' : 'plain'}>
          {words.statusName(status)}
        </Chip>
      ),
    },
    {
      id: 'flags',
      title: words.flags(),
      cell: ({ flags_imported, flags_total }) => words.flagsOf(flags_imported, flags_total),
    },
    {
      id: 'started',
      title: words.started(),
      cell: ({ started_at }) => (
        <time dateTime={started_at} title={words.at(started_at)}>
          {words.ago(started_at, now)}
        </time>
      ),
    },
    {
      id: 'report',
      title: words.report(),
      isTitleHidden: true,
      cell: ({ migration_id, provider, started_at }) => (
        <Link
          to="/migration/$id"
          params={{ id: migration_id }}
          aria-label={words.openReport(words.providerName(provider), started_at)}
        >
          {words.report()}
        </Link>
      ),
    },
  ];
  return (
    <Table
      label={words.table()}
      columns={columns}
      rows={imports}
      rowId={({ migration_id }) => migration_id}
    />
  );
}
