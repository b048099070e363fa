import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import { Refused } from '../../api/refusal';
import { segmentsQuery } from '../../flagState/queries';
import { type Command, useCommands } from '../../frame/commands';
import { usePolling } from '../../frame/Live';
import type { NamedProject } from '../../frame/project';
import { WithProject } from '../../frame/WithProject';
import { t } from '../../messages/en';
import { MayNot, useMay } from '../../parts/MayNot';
import { Button } from '../../ui/Button';
import { Curl } from '../../ui/Curl';
import { Empty, Loading, Skeleton } from '../../ui/Feedback';
import { RefusalPage } from '../../ui/RefusalPage';
import { SearchField } from '../../ui/Select';
import { usePageTitle } from '../../ui/usePageTitle';
import { segments as words } from './messages';
import styles from './Segments.module.css';
import { SegmentTable } from './SegmentTable';
import { searchSegments } from './search';

const NewSegment = lazy(() => import('./NewSegment'));

const route = getRouteApi('/framed/p/$project/segments');
const SEARCH_ID = 'segment-search';

const SEARCH: Command = {
  id: 'search-segments',
  title: t.palette.search(),
  section: 'actions',
  keys: '/',
  run: () => document.getElementById(SEARCH_ID)?.focus(),
};

/** What the example for the shell creates. */
const EXAMPLE = {
  key: 'beta',
  name: 'Beta testers',
  rules: [{ attribute: 'email', operator: 'endsWith', values: ['@example.com'] }],
};

export function SegmentsPage() {
  const { project } = route.useParams();
  return <WithProject named={project}>{found => <Segments key={found.id} project={found} />}</WithProject>;
}

function Segments({ project }: { project: NamedProject }) {
  usePageTitle(words.title());
  const { q = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useQuery({ ...segmentsQuery(project.id), refetchInterval: usePolling() });
  const mayCreate = useMay('segments.write');
  const [isCreating, setCreating] = useState(false);
  const commands = useMemo<Command[]>(() => {
    const create: Command = {
      id: 'create-segment',
      title: words.create(),
      section: 'actions',
      keys: 'c',
      run: () => setCreating(true),
    };
    return mayCreate ? [SEARCH, create] : [SEARCH];
  }, [mayCreate]);
  useCommands(commands);
  const search = (text: string) => void navigate({ search: text === '' ? {} : { q: text }, replace: true });

  if (list.data === undefined && list.error instanceof Refused) {
    return <RefusalPage refusal={list.error.refusal} onRetry={() => void list.refetch()} />;
  }
  const create = (
    <Button look="primary" isDisabled={!mayCreate} onPress={() => setCreating(true)}>
      <Plus size={16} aria-hidden />
      {words.create()}
    </Button>
  );
  const all = list.data?.segments;
  const found = all === undefined ? [] : searchSegments(all, q);
  return (
    <div className={styles.page}>
      <div className="row apart">
        <div className="row">
          <h1>{words.title()}</h1>
          <span className="soft" role="status">
            {all === undefined ? '' : words.count(found.length)}
          </span>
        </div>
        {all?.length === 0 ? null : create}
      </div>
      <p className="soft">{words.lead()}</p>
      <MayNot permit="segments.write" />
      {all === undefined ? (
        <Loading>
          <Skeleton height="40dvh" />
        </Loading>
      ) : all.length === 0 ? (
        <Empty
          title={words.emptyTitle()}
          action={create}
          api={<Curl method="POST" path={`/v1/projects/${project.id}/segments`} body={EXAMPLE} />}
        >
          {words.empty()}
        </Empty>
      ) : (
        <>
          <div className={styles.search}>
            <SearchField id={SEARCH_ID} label={words.search()} value={q} onChange={search} />
          </div>
          {found.length === 0 ? (
            <Empty
              title={words.noneTitle()}
              action={<Button onPress={() => search('')}>{words.clear()}</Button>}
            >
              {words.none(q)}
            </Empty>
          ) : (
            <SegmentTable project={project} segments={found} />
          )}
        </>
      )}
      {list.data?.isComplete === false ? (
        <p className="soft">{words.cut(list.data.segments.length)}</p>
      ) : null}
      <Suspense>
        {isCreating ? <NewSegment project={project} onClose={() => setCreating(false)} /> : null}
      </Suspense>
    </div>
  );
}
