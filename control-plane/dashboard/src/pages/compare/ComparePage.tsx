import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ArrowLeftRight } from 'lucide-react';
import { environmentsQuery } from '../../frame/environments';
import { Gone } from '../../frame/Gone';
import type { NamedProject } from '../../frame/project';
import { WithProject } from '../../frame/WithProject';
import { buttonClass, IconButton } from '../../ui/Button';
import { Banner, Empty } from '../../ui/Feedback';
import { PageLoading } from '../../ui/PageLoading';
import { Select } from '../../ui/Select';
import { usePageTitle } from '../../ui/usePageTitle';
import styles from './Compare.module.css';
import { DifferingFlags } from './DifferingFlags';
import { compare } from './messages';

const route = getRouteApi('/framed/p/$project/compare');

export function ComparePage() {
  const { project } = route.useParams();
  return <WithProject named={project}>{found => <Compare key={found.id} project={found} />}</WithProject>;
}

function Compare({ project }: { project: NamedProject }) {
  usePageTitle(compare.title());
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const environments = useQuery(environmentsQuery(project.id));
  if (environments.data === undefined) {
    return <PageLoading error={environments.error} height="60dvh" />;
  }
  const known = environments.data.data;
  const named = (slug: string | undefined, otherwise: number) =>
    slug === undefined ? known.at(otherwise) : known.find(environment => environment.slug === slug);
  const from = named(search.from, 0);
  const to = named(search.to, -1);
  const isFew = known.length < 2;
  if (!isFew && (from === undefined || to === undefined)) {
    const missing = from === undefined ? search.from : search.to;
    return <Gone kind="environment" named={missing ?? ''} projectId={project.id} />;
  }
  const choose = (next: { from?: string; to?: string }) =>
    void navigate({ search: before => ({ ...before, ...next }), replace: true });
  const choices = known.map(({ slug, name }) => ({ id: slug, label: name }));
  return (
    <div className="page dense">
      <div className="stack close">
        <h1>{compare.title()}</h1>
        <p className="soft">{compare.lead()}</p>
      </div>
      {isFew || from === undefined || to === undefined ? (
        <Empty
          title={compare.fewTitle()}
          action={
            <Link to="/p/$project/environments" params={{ project: project.slug }} className={buttonClass()}>
              {compare.toEnvironments()}
            </Link>
          }
        >
          {compare.few()}
        </Empty>
      ) : (
        <>
          <div className={styles.environments}>
            <Select
              label={compare.from()}
              choices={choices}
              value={from.slug}
              onChange={slug => choose({ from: slug, to: to.slug })}
            />
            <IconButton
              label={compare.swap()}
              look="secondary"
              onPress={() => choose({ from: to.slug, to: from.slug })}
            >
              <ArrowLeftRight size={16} aria-hidden />
            </IconButton>
            <Select
              label={compare.to()}
              choices={choices}
              value={to.slug}
              onChange={slug => choose({ from: from.slug, to: slug })}
            />
          </div>
          {from.id === to.id ? (
            <Banner tone="note">{compare.chooseTwo()}</Banner>
          ) : (
            <DifferingFlags key={`${from.id} ${to.id}`} project={project} from={from} to={to} />
          )}
        </>
      )}
    </div>
  );
}
