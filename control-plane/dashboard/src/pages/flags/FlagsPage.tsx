import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { Refused } from '../../api/refusal';
import { type Command, useCommands } from '../../frame/commands';
import { environmentsQuery } from '../../frame/environments';
import { Gone } from '../../frame/Gone';
import { usePolling } from '../../frame/Live';
import { findProject, type NamedProject, rememberProject } from '../../frame/project';
import { t } from '../../messages/en';
import { useMe } from '../../session/me';
import { mayCreate } from '../../session/permissions';
import { Button } from '../../ui/Button';
import { Loading, Skeleton } from '../../ui/Feedback';
import { Optional } from '../../ui/Optional';
import { part } from '../../ui/part';
import { RefusalPage } from '../../ui/RefusalPage';
import { usePageTitle } from '../../ui/usePageTitle';
import { Filters, SEARCH_ID } from './Filters';
import { FlagTable } from './FlagTable';
import { flagsPage } from './messages';
import { overviewQuery } from './queries';
import { type Change, type FlagsSearch, isFiltered, toQuery } from './urlState';

const route = getRouteApi('/framed/p/$project/flags');

export function FlagsPage() {
  const { projects } = useMe();
  const named = route.useParams().project;
  const isArchive = route.useSearch().archived !== undefined;
  const project = findProject(projects, named);
  if (project === undefined) return <Gone kind="project" named={named} />;
  if (isArchive) {
    return (
      <Optional>
        <ArchivedFlags key={project.id} project={project} />
      </Optional>
    );
  }
  return <Flags key={project.id} project={project} />;
}

const ArchivedFlags = part(() => import('./ArchivedFlags'));

const NewFlag = part(() => import('./NewFlag'));

const NoMatch = part(() => import('./NoMatch'));

const NoFlags = part(() => import('./NoFlags'));

const SEARCH: Command = {
  id: 'search-flags',
  title: t.palette.search(),
  section: 'actions',
  keys: '/',
  run: () => document.getElementById(SEARCH_ID)?.focus(),
};

function Flags({ project }: { project: NamedProject }) {
  usePageTitle(flagsPage.title());
  const me = useMe();
  const isCreator = mayCreate(me);
  const [isCreating, setCreating] = useState(false);
  const commands = useMemo<Command[]>(() => {
    const create: Command = {
      id: 'create-flag',
      title: flagsPage.create(),
      section: 'actions',
      keys: 'c',
      run: () => setCreating(true),
    };
    return isCreator ? [SEARCH, create] : [SEARCH];
  }, [isCreator]);
  useCommands(commands);
  useEffect(() => rememberProject(project), [project]);

  const search = route.useSearch();
  const navigate = route.useNavigate();
  const environments = useQuery(environmentsQuery(project.id));
  const known = environments.data?.data;
  const query = useMemo(() => toQuery(search, known ?? []), [search, known]);
  // A filter by environment needs the environment's id, so it waits for the list; nothing else does.
  const isReady = search.env === undefined || search.state === undefined || known !== undefined;
  const first = useQuery({
    ...overviewQuery(project.id, query, 0),
    refetchInterval: usePolling(),
    enabled: isReady,
  });

  const change = useCallback(
    (next: Change) => void navigate({ search: before => defined({ ...before, ...next }), replace: true }),
    [navigate],
  );
  const clear = () => void navigate({ search: {}, replace: true });
  const closeNew = useCallback(() => setCreating(false), []);
  const filterOwner = useCallback((owner: string) => change({ owner }), [change]);

  if (first.data === undefined && first.error instanceof Refused) {
    return <RefusalPage refusal={first.error.refusal} />;
  }
  const overview = first.data;
  const ownerName = overview?.data.find(({ owner }) => owner?.id === search.owner)?.owner?.name;
  const isEmpty = overview?.total === 0 && !isFiltered(search);
  const create = isCreator ? (
    <Button look="primary" onPress={() => setCreating(true)}>
      <Plus size={16} aria-hidden />
      {flagsPage.create()}
    </Button>
  ) : null;
  return (
    <div className="page dense">
      <div className="row apart">
        <div className="row">
          <h1>{flagsPage.title()}</h1>
          <span className="soft" role="status">
            {overview === undefined || isEmpty ? '' : flagsPage.count(overview.total)}
          </span>
        </div>
        <div className="row">
          <Link to="/p/$project/compare" params={{ project: project.slug }}>
            {flagsPage.compare()}
          </Link>
          <Link to="/p/$project/flags" params={{ project: project.slug }} search={{ archived: 'true' }}>
            {flagsPage.archived()}
          </Link>
          {isEmpty ? null : create}
        </div>
      </div>
      {overview !== undefined && !isEmpty ? (
        <Filters
          projectId={project.id}
          search={search}
          environments={overview.environments}
          tags={overview.tags}
          ownerName={ownerName}
          onChange={change}
        />
      ) : null}
      {overview === undefined ? (
        <Loading>
          <Skeleton height="60dvh" />
        </Loading>
      ) : overview.total > 0 ? (
        <FlagTable
          projectId={project.id}
          query={query}
          environments={overview.environments}
          total={overview.total}
          onOwner={filterOwner}
        />
      ) : isFiltered(search) ? (
        <Optional>
          <NoMatch
            projectId={project.id}
            search={search}
            known={known ?? []}
            ownerName={ownerName}
            onChange={change}
            onClear={clear}
          />
        </Optional>
      ) : (
        <Optional>
          <NoFlags projectId={project.id} create={create} />
        </Optional>
      )}
      <Optional onClose={closeNew}>
        {isCreating ? <NewFlag projectId={project.id} onClose={closeNew} /> : null}
      </Optional>
    </div>
  );
}

function defined(search: Change): FlagsSearch {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}
