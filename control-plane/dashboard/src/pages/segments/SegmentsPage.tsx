import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { segmentsQuery } from '../../flagState/queries';
import type { Command } from '../../frame/commands';
import { usePolling } from '../../frame/Live';
import type { NamedProject } from '../../frame/project';
import { WithProject } from '../../frame/WithProject';
import { t } from '../../messages/en';
import { ListPage } from '../../parts/ListPage';
import { useMay } from '../../parts/MayNot';
import { Button } from '../../ui/Button';
import { Empty } from '../../ui/Feedback';
import { Optional } from '../../ui/Optional';
import { SearchField } from '../../ui/Select';
import { usePageTitle } from '../../ui/usePageTitle';
import { segments as words } from './messages';
import { NewSegment } from './NewSegment';
import styles from './Segments.module.css';
import { SegmentTable } from './SegmentTable';
import { searchSegments } from './search';

const route = getRouteApi('/framed/p/$project/segments');
const SEARCH_ID = 'segment-search';

const COMMANDS: readonly Command[] = [
  {
    id: 'search-segments',
    title: t.palette.search(),
    section: 'actions',
    keys: '/',
    run: () => document.getElementById(SEARCH_ID)?.focus(),
  },
];

/** The segment that the example for the shell creates. */
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
  const create = useCallback(() => setCreating(true), []);
  const search = (text: string) => void navigate({ search: text === '' ? {} : { q: text }, replace: true });

  const all = list.data?.segments;
  const found = all === undefined ? [] : searchSegments(all, q);
  return (
    <>
      <ListPage
        title={words.title()}
        count={
          <span className="soft" role="status">
            {all === undefined ? '' : words.count(found.length)}
          </span>
        }
        lead={words.lead()}
        permit="segments.write"
        list={{ ...list, isLoaded: all !== undefined }}
        create={{ id: 'create-segment', label: words.create(), isAllowed: mayCreate, run: create }}
        commands={COMMANDS}
        empty={{
          isEmpty: all?.length === 0,
          title: words.emptyTitle(),
          text: words.empty(),
          request: { method: 'POST', path: `/v1/projects/${project.id}/segments`, body: EXAMPLE },
        }}
        footer={
          list.data?.isComplete === false ? (
            <p className="soft">{words.cut(list.data.segments.length)}</p>
          ) : null
        }
      >
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
      </ListPage>
      <Optional onClose={() => setCreating(false)}>
        {isCreating ? <NewSegment project={project} onClose={() => setCreating(false)} /> : null}
      </Optional>
    </>
  );
}
