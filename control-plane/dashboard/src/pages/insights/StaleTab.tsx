import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { DownloadCsv } from '../../parts/DownloadCsv';
import { More } from '../../parts/More';
import { useMe } from '../../session/me';
import { Button } from '../../ui/Button';
import { Banner, Empty } from '../../ui/Feedback';
import { Optional } from '../../ui/Optional';
import { PageLoading } from '../../ui/PageLoading';
import { Select } from '../../ui/Select';
import { ArchiveStale } from './ArchiveStale';
import { EnvironmentSelect } from './EnvironmentSelect';
import { page } from './messages';
import { type Cause, type Stale, staleQuery } from './queries';
import { reasonsOf } from './reasons';
import { StaleTable } from './StaleTable';
import type { TabProps } from './tabs';
import { useFilters } from './useFilters';

const CAUSES: readonly Cause[] = ['not_evaluated', 'one_value', 'fully_on', 'fully_off'];
const ANY = '';

/** Flags that may go, with the reasons and what would differ without them. */
export default function StaleTab({ project, environments }: TabProps) {
  const { search, environment, set } = useFilters(environments);
  const { reason } = search;
  const query = useInfiniteQuery(staleQuery(project.id, environment?.id, reason));
  const { permissions } = useMe();
  const [archiving, setArchiving] = useState<Stale | null>(null);

  if (query.data === undefined) {
    return <PageLoading error={query.error} height="20rem" />;
  }
  const [first] = query.data.pages;
  const flags = query.data.pages.flatMap(({ data }) => data);
  const total = first?.total ?? 0;
  const names = new Map(environments.map(({ id, name }) => [id, name]));
  const nameOf = (id: string) => names.get(id) ?? page.goneEnvironment();
  const filters = [environment?.name, reason === undefined ? undefined : page.reason(reason)].filter(
    name => name !== undefined,
  );
  const mayEdit = permissions.includes('flags.update');
  const mayArchive = permissions.includes('flags.delete');
  return (
    <div className="stack">
      <p className="soft">
        {page.staleLead()}
        {total > 1 ? (
          <>
            {' '}
            <Link to="/p/$project/flags" params={{ project: project.slug }} search={{ stale: 'true' }}>
              {page.staleMany()}
            </Link>
          </>
        ) : null}
      </p>
      <div className="row apart low">
        <div className="row">
          <Select
            label={page.why()}
            choices={[
              { id: ANY, label: page.anyReason() },
              ...CAUSES.map(id => ({ id, label: page.reason(id) })),
            ]}
            value={reason ?? ANY}
            onChange={id => set({ reason: CAUSES.find(cause => cause === id) })}
          />
          <EnvironmentSelect environments={environments} value={environment} onChange={env => set({ env })} />
        </div>
        <div className="row">
          <span className="soft" role="status">
            {page.staleCount(total)}
          </span>
          <DownloadCsv
            name={['stale-flags', project.slug]}
            isDisabled={flags.length === 0}
            head={[page.key(), page.name(), page.why(), page.ifRemoved(), page.lastEvaluated()]}
            rows={() =>
              flags.flatMap(flag =>
                reasonsOf(flag, nameOf).map(({ because, without }) => [
                  flag.key,
                  flag.name,
                  because,
                  without,
                  flag.last_evaluated_at,
                ]),
              )
            }
          />
        </div>
      </div>
      {mayEdit || mayArchive ? null : <Banner tone="note">{page.mayNot()}</Banner>}
      {first !== undefined && first.undistinguished.length > 0 ? (
        <Banner tone="note">{page.undistinguished(first.undistinguished.map(nameOf))}</Banner>
      ) : null}
      {flags.length > 0 ? (
        <StaleTable
          project={project}
          flags={flags}
          nameOf={nameOf}
          mayEdit={mayEdit}
          {...(mayArchive ? { onArchive: setArchiving } : {})}
        />
      ) : filters.length > 0 ? (
        <Empty
          title={page.noMatchTitle()}
          action={<Button onPress={() => set({ env: undefined, reason: undefined })}>{page.clear()}</Button>}
        >
          {page.noMatch(filters)}
        </Empty>
      ) : (
        <Empty title={page.staleNoneTitle()}>{page.staleNone()}</Empty>
      )}
      <More label={page.more()} query={query}>
        <span className="soft">{page.of(flags.length, total)}</span>
      </More>
      <Optional onClose={() => setArchiving(null)}>
        {archiving === null ? null : (
          <ArchiveStale project={project} flag={archiving} onClose={() => setArchiving(null)} />
        )}
      </Optional>
    </div>
  );
}
