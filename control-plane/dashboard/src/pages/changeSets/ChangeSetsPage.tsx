import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Refused } from '../../api/refusal';
import { changeSetsQuery, type Status } from '../../changeSets/queries';
import { usePolling } from '../../frame/Live';
import type { NamedProject } from '../../frame/project';
import { WithProject } from '../../frame/WithProject';
import { More } from '../../parts/More';
import { Button } from '../../ui/Button';
import { Curl } from '../../ui/Curl';
import { Empty, Loading, Skeleton } from '../../ui/Feedback';
import { RefusalPage } from '../../ui/RefusalPage';
import { Select } from '../../ui/Select';
import { usePageTitle } from '../../ui/usePageTitle';
import { ChangeSetList } from './ChangeSetList';
import { words } from './messages';

const route = getRouteApi('/framed/p/$project/change-sets');
const ANY = '';

/** What the example for the shell drafts. */
const EXAMPLE = {
  name: words.example(),
  changes: {
    flags: ['checkout', 'payment'].map(key => ({ key, states: { production: { enabled: true } } })),
  },
};

export function ChangeSetsPage() {
  const { project } = route.useParams();
  return <WithProject named={project}>{found => <ChangeSets key={found.id} project={found} />}</WithProject>;
}

function ChangeSets({ project }: { project: NamedProject }) {
  usePageTitle(words.title());
  const { status } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useInfiniteQuery({ ...changeSetsQuery(project.id, status), refetchInterval: usePolling() });
  const filter = (next: string) =>
    void navigate({ search: next === ANY ? {} : { status: next as Status }, replace: true });
  const sets = query.data?.pages.flatMap(({ data }) => data);
  if (sets === undefined && query.error instanceof Refused) {
    return <RefusalPage refusal={query.error.refusal} />;
  }
  const isNone = sets?.length === 0;
  return (
    <div className="page">
      <div className="stack close">
        <h1>{words.title()}</h1>
        <p className="soft">{words.lead()}</p>
      </div>
      {isNone && status === undefined ? null : (
        <div className="row">
          <Select
            label={words.status()}
            choices={[
              { id: ANY, label: words.anyStatus() },
              ...Object.entries(words.statuses).map(([id, label]) => ({ id, label })),
            ]}
            value={status ?? ANY}
            onChange={filter}
          />
        </div>
      )}
      {sets === undefined ? (
        <Loading>
          <Skeleton height="12rem" />
        </Loading>
      ) : !isNone ? (
        <ChangeSetList project={project} sets={sets} />
      ) : status === undefined ? (
        <Empty
          title={words.none()}
          api={<Curl method="POST" path={`/v1/projects/${project.id}/change-sets`} body={EXAMPLE} />}
        >
          {words.noneText()}
        </Empty>
      ) : (
        <Empty
          title={words.noMatch()}
          action={<Button onPress={() => filter(ANY)}>{words.showAll()}</Button>}
        >
          {words.noMatchText()}
        </Empty>
      )}
      <More label={words.more()} query={query} />
    </div>
  );
}
