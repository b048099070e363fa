import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { FirstCall } from '../../insights/FirstCall';
import { number } from '../../messages/format';
import { DownloadCsv } from '../../parts/DownloadCsv';
import { More } from '../../parts/More';
import { useMe } from '../../session/me';
import { mayCreate } from '../../session/permissions';
import { Button } from '../../ui/Button';
import { EnvironmentChip } from '../../ui/Chip';
import { Empty } from '../../ui/Feedback';
import { Optional } from '../../ui/Optional';
import { PageLoading } from '../../ui/PageLoading';
import { type Column, Table } from '../../ui/Table';
import { useNow } from '../../ui/useNow';
import { CreateUnknown } from './CreateUnknown';
import { EnvironmentSelect } from './EnvironmentSelect';
import { page } from './messages';
import { type Unknown, unknownQuery } from './queries';
import type { TabProps } from './tabs';
import { useFilters } from './useFilters';

/** Stands for all keys beyond those that are counted one by one. */
const OTHER = '__other__';

/** Keys that no flag has, and where apps ask for them. */
export default function UnknownTab({ project, environments }: TabProps) {
  const { environment, set } = useFilters(environments);
  const query = useInfiniteQuery(unknownQuery(project.id, environment?.id));
  const may = mayCreate(useMe());
  const now = useNow(30_000);
  const [creating, setCreating] = useState<string | null>(null);

  if (query.data === undefined) {
    return <PageLoading error={query.error} height="20rem" />;
  }
  const rows = query.data.pages.flatMap(({ data }) => data);
  const total = query.data.pages[0]?.total ?? 0;
  const byId = new Map(environments.map(one => [one.id, one]));
  const nameOf = (id: string) => byId.get(id)?.name ?? page.goneEnvironment();
  const columns: Column<Unknown>[] = [
    {
      id: 'key',
      title: page.key(),
      cell: ({ flag_key: key }) =>
        key === OTHER ? (
          <span>
            {page.otherKeys()} <span className="soft small">{page.otherKeysText()}</span>
          </span>
        ) : (
          <code>
            <bdi>{key}</bdi>
          </code>
        ),
    },
    {
      id: 'environment',
      title: page.environment(),
      cell: ({ env_id: id }) => {
        const found = byId.get(id);
        return found === undefined ? page.goneEnvironment() : <EnvironmentChip {...found} />;
      },
    },
    { id: 'count', title: page.count(), cell: ({ count }) => number(count) },
    { id: 'first', title: page.first(), cell: ({ first_seen_at: at }) => <Ago at={at} now={now} /> },
    { id: 'last', title: page.last(), cell: ({ last_seen_at: at }) => <Ago at={at} now={now} /> },
    {
      id: 'actions',
      title: page.actions(),
      isTitleHidden: true,
      cell: ({ flag_key: key }) =>
        key === OTHER || !may ? null : (
          <Button aria-label={page.createOf(key)} onPress={() => setCreating(key)}>
            {page.create()}
          </Button>
        ),
    },
  ];
  return (
    <div className="stack">
      <p className="soft">{page.unknownLead()}</p>
      <div className="row apart low">
        <EnvironmentSelect environments={environments} value={environment} onChange={env => set({ env })} />
        <div className="row">
          <span className="soft" role="status">
            {page.unknownCount(total)}
          </span>
          <DownloadCsv
            name={['unknown-flags', project.slug]}
            isDisabled={rows.length === 0}
            head={[page.key(), page.csvEnvironment(), page.count(), page.first(), page.last()]}
            rows={() =>
              rows.map(row => [
                row.flag_key,
                nameOf(row.env_id),
                row.count,
                row.first_seen_at,
                row.last_seen_at,
              ])
            }
          />
        </div>
      </div>
      {rows.length === 0 ? (
        <Empty
          title={page.unknownNoneTitle()}
          api={
            <FirstCall
              label={page.askUnknown()}
              path="/v1/evaluate"
              body={{ flag_key: 'no-such-flag', context: { key: 'user-1' } }}
            />
          }
        >
          {page.unknownNone()}
        </Empty>
      ) : (
        <Table
          label={page.tab('unknown')}
          columns={columns}
          rows={rows}
          rowId={row => `${row.flag_key} ${row.env_id}`}
        />
      )}
      <More label={page.more()} query={query}>
        <span className="soft">{page.of(rows.length, total)}</span>
      </More>
      <Optional onClose={() => setCreating(null)}>
        {creating === null ? null : (
          <CreateUnknown
            project={project}
            flagKey={creating}
            environments={rows.filter(row => row.flag_key === creating).map(row => nameOf(row.env_id))}
            onClose={() => setCreating(null)}
          />
        )}
      </Optional>
    </div>
  );
}

function Ago({ at, now }: { at: string; now: number }) {
  return (
    <time dateTime={at} title={page.at(at)}>
      {page.ago(at, now)}
    </time>
  );
}
