import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { type Refusal, Refused } from '../../api/refusal';
import { Button } from '../../ui/Button';
import { Curl } from '../../ui/Curl';
import { Banner, Empty, Loading, Skeleton } from '../../ui/Feedback';
import { RefusalPage } from '../../ui/RefusalPage';
import { refusalText } from '../../ui/refusalText';
import { Switch } from '../../ui/Switch';
import { usePageTitle } from '../../ui/usePageTitle';
import styles from './Audit.module.css';
import { EntryList } from './EntryList';
import { ExportCsv } from './ExportCsv';
import { Filters } from './Filters';
import { type FilterName, setFilters } from './filters';
import { audit } from './messages';
import { type Entry, entriesQuery, type Filter } from './queries';
import { useFresh } from './useFresh';

const route = getRouteApi('/framed/audit');

const EXAMPLE = { method: 'GET', path: '/v1/audit?limit=50' } as const;

/** Who changed what and when: filtered, searched, followed as it happens, and exported. */
export function AuditPage() {
  usePageTitle(audit.title());
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error } = useInfiniteQuery(entriesQuery(filter));
  const first = data?.pages[0]?.data[0];
  const actorName = filter.actor_id === undefined ? undefined : (first?.actor_name ?? undefined);
  const change = (next: Filter) => void navigate({ search: next, replace: true, resetScroll: false });
  if (data === undefined && error instanceof Refused && error.refusal.kind !== 'invalid') {
    return <RefusalPage refusal={error.refusal} />;
  }
  return (
    <div className="page">
      <div className="row apart">
        <div className="stack close">
          <h1>{audit.title()}</h1>
          <p className="soft">{audit.lead()}</p>
        </div>
        <ExportCsv filter={filter} />
      </div>
      <Filters filter={filter} onChange={change} actorName={actorName} />
      <Entries key={JSON.stringify(filter)} filter={filter} onChange={change} />
    </div>
  );
}

interface EntriesProps {
  filter: Filter;
  onChange: (filter: Filter) => void;
}

function Entries({ filter, onChange }: EntriesProps) {
  const query = useInfiniteQuery(entriesQuery(filter));
  const [isFollowing, setFollowing] = useState(true);
  const isAtTop = useAtTop();
  const loaded = useMemo(() => query.data?.pages.flatMap(({ data }) => data) ?? [], [query.data]);
  const fresh = useFresh(filter, loaded[0], isFollowing, isAtTop);
  const entries = useMemo<readonly Entry[]>(() => [...fresh.shown, ...loaded], [fresh.shown, loaded]);
  if (query.data === undefined) {
    return query.error instanceof Refused ? (
      <Banner tone="bad">{refusedText(query.error.refusal)}</Banner>
    ) : (
      <Loading>
        <Skeleton height="60dvh" />
      </Loading>
    );
  }
  const first = query.data.pages[0];
  const total = (first?.total ?? 0) + fresh.shown.length;
  if (entries.length === 0) return <None filter={filter} onChange={onChange} />;
  return (
    <div className="stack">
      <div className="row apart">
        <span className="soft" role="status">
          {audit.total(total, first?.has_more ?? false)}
        </span>
        <div className="row">
          {fresh.waiting > 0 ? (
            <Button
              onPress={() => {
                fresh.show();
                window.scrollTo({ top: 0 });
              }}
            >
              {audit.fresh(fresh.waiting)}
            </Button>
          ) : null}
          {filter.to === undefined ? (
            <Switch label={audit.live()} isOn={isFollowing} onChange={setFollowing} />
          ) : null}
        </div>
      </div>
      <EntryList
        entries={entries}
        hasMore={query.hasNextPage}
        isLoadingMore={query.isFetchingNextPage}
        isFailed={query.isFetchNextPageError}
        onMore={() => void query.fetchNextPage()}
      />
    </div>
  );
}

function None({ filter, onChange }: EntriesProps) {
  const set = setFilters(filter);
  if (set.length === 0) {
    return (
      <Empty title={audit.none()} api={<Curl {...EXAMPLE} />}>
        {audit.noneText()}
      </Empty>
    );
  }
  const without = (name: FilterName) => {
    const { [name]: _, ...rest } = filter;
    return rest;
  };
  return (
    <Empty
      title={audit.noMatch()}
      action={
        <div className={styles.drops}>
          {set.map(name => (
            <Button key={name} onPress={() => onChange(without(name))}>
              {audit.drop(name)}
            </Button>
          ))}
        </div>
      }
    >
      {audit.noMatchText()}
    </Empty>
  );
}

/** Whether the beginning of the page is in view. What comes above something that is read would move it. */
function useAtTop(): boolean {
  const [isAtTop, setAtTop] = useState(true);
  useEffect(() => {
    const onScroll = () => setAtTop(window.scrollY < 200);
    onScroll();
    window.addEventListener('scroll', onScroll, { passive: true });
    return () => window.removeEventListener('scroll', onScroll);
  }, []);
  return isAtTop;
}

/** Of what was typed as a search in words of ours. */
function refusedText(refusal: Refusal): string {
  const isSearch = refusal.kind === 'invalid' && /\bq\b/.test(refusal.message);
  return isSearch ? audit.searchRefused() : refusalText(refusal);
}
