import { useQuery } from '@tanstack/react-query';
import { FirstCall } from '../../insights/FirstCall';
import { number } from '../../messages/format';
import { DownloadCsv } from '../../parts/DownloadCsv';
import { Button } from '../../ui/Button';
import { Empty } from '../../ui/Feedback';
import { PageLoading } from '../../ui/PageLoading';
import { type Column, Table } from '../../ui/Table';
import { EnvironmentSelect } from './EnvironmentSelect';
import { FlagField } from './FlagField';
import { page } from './messages';
import { type Impressions, impressionsQuery } from './queries';
import type { TabProps } from './tabs';
import { useFilters } from './useFilters';

/** Who saw which variant, as apps report it. */
export default function ImpressionsTab({ project, environments }: TabProps) {
  const { search, environment, set } = useFilters(environments);
  const { flag } = search;
  const query = useQuery(impressionsQuery(project.id, environment?.id, flag));
  if (query.data === undefined) {
    return <PageLoading error={query.error} height="20rem" />;
  }
  const { rows, isCut } = query.data;
  const ofFlag = new Map<string, number>();
  for (const { flag_key: key, count } of rows) ofFlag.set(key, (ofFlag.get(key) ?? 0) + count);
  const shareOf = ({ flag_key: key, count }: Impressions) => count / (ofFlag.get(key) ?? count);
  const filters = [flag, environment?.name].filter(name => name !== undefined);
  const columns: Column<Impressions>[] = [
    {
      id: 'flag',
      title: page.flag(),
      cell: ({ flag_key: key }) => (
        <code>
          <bdi>{key}</bdi>
        </code>
      ),
    },
    {
      id: 'variant',
      title: page.variant(),
      cell: ({ variant_key: key }) => (key === '' ? page.noVariant() : <bdi>{key}</bdi>),
    },
    { id: 'count', title: page.impressions(), cell: ({ count }) => number(count) },
    { id: 'share', title: page.share(), cell: row => page.percent(shareOf(row)) },
  ];
  return (
    <div className="stack">
      <p className="soft">{page.impressionsLead()}</p>
      <div className="row apart low">
        <div className="row">
          <FlagField projectId={project.id} value={flag} onChange={key => set({ flag: key })} />
          <EnvironmentSelect environments={environments} value={environment} onChange={env => set({ env })} />
        </div>
        <DownloadCsv
          name={['impressions', flag ?? project.slug]}
          isDisabled={rows.length === 0}
          head={[page.flag(), page.variant(), page.impressions()]}
          rows={() => rows.map(row => [row.flag_key, row.variant_key, row.count])}
        />
      </div>
      {rows.length > 0 ? (
        <Table
          label={page.tab('impressions')}
          columns={columns}
          rows={rows}
          rowId={row => JSON.stringify([row.flag_key, row.variant_key])}
        />
      ) : filters.length > 0 ? (
        <Empty
          title={page.impressionsNoMatchTitle()}
          action={<Button onPress={() => set({ env: undefined, flag: undefined })}>{page.clear()}</Button>}
        >
          {page.noMatch(filters)}
        </Empty>
      ) : (
        <Empty
          title={page.impressionsNoneTitle()}
          api={
            <FirstCall
              label={page.track()}
              path="/v1/track"
              body={{ flag_key: 'new-checkout', variant_key: 'treatment', user_key: 'user-1' }}
            />
          }
        >
          {page.impressionsNone()}
        </Empty>
      )}
      {isCut ? <p className="soft">{page.cut(rows.length)}</p> : null}
    </div>
  );
}
