import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { changeSetQuery, type Stored } from '../../changeSets/queries';
import { usePolling } from '../../frame/Live';
import type { NamedProject } from '../../frame/project';
import { WithProject } from '../../frame/WithProject';
import shared from '../../parts/Review.module.css';
import { Banner } from '../../ui/Feedback';
import { PageLoading } from '../../ui/PageLoading';
import { usePageTitle } from '../../ui/usePageTitle';
import { Value } from '../../ui/Value';
import { Actions } from './Actions';
import { Changes } from './Changes';
import { Compared } from './Compared';
import { words } from './messages';
import { Reviews } from './Reviews';
import { StatusChip } from './StatusChip';
import { useNameOf } from './useNameOf';

const route = getRouteApi('/framed/p/$project/change-sets/$id');

/** One change set: what it does, what keeps it from being applied, and what can be done with it. */
export function ChangeSetPage() {
  const { project, id } = route.useParams();
  return (
    <WithProject named={project}>
      {found => <Loaded key={`${found.id}/${id}`} project={found} id={id} />}
    </WithProject>
  );
}

interface LoadedProps {
  project: NamedProject;
  id: string;
}

function Loaded({ project, id }: LoadedProps) {
  const { data, error } = useQuery({ ...changeSetQuery(project.id, id), refetchInterval: usePolling() });
  if (data !== undefined) return <Shown project={project} stored={data} />;
  return <PageLoading error={error} height="60dvh" />;
}

interface ShownProps {
  project: NamedProject;
  stored: Stored;
}

function Shown({ project, stored }: ShownProps) {
  const set = stored.data;
  usePageTitle(set.name);
  return (
    <div className="page">
      <div className="stack close">
        <Link to="/p/$project/change-sets" params={{ project: project.slug }} className="back">
          {words.back()}
        </Link>
        <div className="row">
          <h1 className={shared.title}>
            <Value>{set.name}</Value>
          </h1>
          <StatusChip set={set} />
        </div>
        <Facts project={project} stored={stored} />
      </div>
      {set.description === '' ? null : (
        <p className={shared.text}>
          <Value>{set.description}</Value>
        </p>
      )}
      {set.status === 'failed' ? <Banner tone="bad">{words.failed(set.failure ?? '')}</Banner> : null}
      {set.parts === null || set.parts === undefined ? (
        <>
          <Banner tone="note">{words.unreadable()}</Banner>
          <Reviews stored={stored} difference={undefined} isBehind={false} />
          <Actions project={project} stored={stored} difference={undefined} isBehind={false} />
        </>
      ) : set.status === 'applied' ? (
        <>
          <section className="card" aria-labelledby="changes">
            <div className="stack close">
              <h2 id="changes">{words.changed()}</h2>
              <p className="soft">{words.changedText()}</p>
            </div>
            <Changes parts={set.parts} conflicts={[]} />
          </section>
          <Reviews stored={stored} difference={undefined} isBehind={false} />
          <Actions project={project} stored={stored} difference={undefined} isBehind={false} />
        </>
      ) : (
        <Compared project={project} stored={stored} />
      )}
    </div>
  );
}

/** Who and when. */
function Facts({ project, stored: { data: set } }: ShownProps) {
  const nameOf = useNameOf();
  return (
    <>
      <p className="soft">
        {words.authors(set.author_ids.map(nameOf))}, {words.drafted(set.created_at)}
      </p>
      {set.undoes === null ? null : (
        <p>
          <Link to="/p/$project/change-sets/$id" params={{ project: project.slug, id: set.undoes }}>
            {words.undoes()}
          </Link>
        </p>
      )}
      {set.applied_at === null ? null : (
        <p>{words.appliedBy(nameOf(set.applied_by), set.applied_at, set.applied_version ?? 0)}</p>
      )}
      {set.status === 'scheduled' && set.apply_at !== null ? (
        <p>{words.scheduledFor(set.apply_at, nameOf(set.scheduled_by))}</p>
      ) : null}
    </>
  );
}
