import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Refused } from '../../api/refusal';
import { environmentsQuery } from '../../frame/environments';
import type { NamedProject } from '../../frame/project';
import { WithProject } from '../../frame/WithProject';
import { NoMetrics } from '../../insights/NoMetrics';
import { useMe } from '../../session/me';
import { Loading, Skeleton } from '../../ui/Feedback';
import { Optional } from '../../ui/Optional';
import { part } from '../../ui/part';
import { RefusalPage } from '../../ui/RefusalPage';
import { Tabs } from '../../ui/Tabs';
import { usePageTitle } from '../../ui/usePageTitle';
import { page } from './messages';
import { TABS, type Tab } from './tabs';

const EvaluationsTab = part(() => import('./EvaluationsTab'));
const UnknownTab = part(() => import('./UnknownTab'));
const StaleTab = part(() => import('./StaleTab'));
const ImpressionsTab = part(() => import('./ImpressionsTab'));

const PANELS = {
  evaluations: EvaluationsTab,
  unknown: UnknownTab,
  stale: StaleTab,
  impressions: ImpressionsTab,
};

const route = getRouteApi('/framed/p/$project/insights');

export function InsightsPage() {
  const { project } = route.useParams();
  return <WithProject named={project}>{found => <Insights key={found.id} project={found} />}</WithProject>;
}

function Insights({ project }: { project: NamedProject }) {
  usePageTitle(page.title());
  const { tab = 'evaluations' } = route.useSearch();
  const navigate = route.useNavigate();
  const mayRead = useMe().permissions.includes('metrics.read');
  const environments = useQuery(environmentsQuery(project.id));

  if (environments.data === undefined && environments.error instanceof Refused) {
    return <RefusalPage refusal={environments.error.refusal} />;
  }
  const known = environments.data?.data;
  const content = (id: Tab) => {
    if (known === undefined) return <TabLoading />;
    // Which flags are stale is for everyone who may see flags.
    if (id !== 'stale' && !mayRead) return <NoMetrics />;
    const Panel = PANELS[id];
    return (
      <Optional fallback={<TabLoading />}>
        <Panel project={project} environments={known} />
      </Optional>
    );
  };
  return (
    <div className="page dense">
      <div className="stack close">
        <h1>{page.title()}</h1>
        <p className="soft">{page.lead()}</p>
      </div>
      <Tabs
        label={page.title()}
        value={tab}
        onChange={id =>
          void navigate({
            search: ({ env, flag, range }) => ({
              ...(id === 'evaluations' ? {} : { tab: id as Exclude<Tab, 'evaluations'> }),
              ...(env === undefined ? {} : { env }),
              ...(flag === undefined ? {} : { flag }),
              ...(range === undefined ? {} : { range }),
            }),
            resetScroll: false,
          })
        }
        tabs={TABS.map(id => ({ id, label: page.tab(id), content: content(id) }))}
      />
    </div>
  );
}

function TabLoading() {
  return (
    <Loading>
      <Skeleton height="50dvh" />
    </Loading>
  );
}
