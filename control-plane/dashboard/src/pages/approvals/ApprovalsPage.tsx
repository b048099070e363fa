import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Navigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { More } from '../../parts/More';
import { useMe } from '../../session/me';
import { Button } from '../../ui/Button';
import { Curl } from '../../ui/Curl';
import { Empty } from '../../ui/Feedback';
import { PageLoading } from '../../ui/PageLoading';
import { Select } from '../../ui/Select';
import { Tabs } from '../../ui/Tabs';
import { usePageTitle } from '../../ui/usePageTitle';
import { approvals } from './messages';
import { approvalsQuery, countQuery, type Filter } from './queries';
import { RequestList } from './RequestList';

const route = getRouteApi('/framed/approvals');

type Show = 'review' | 'mine' | 'done';

const EXAMPLE = {
  method: 'POST',
  path: '/v1/approvals',
  body: { project_id: 'default', flag_key: 'checkout', env_id: 'production', change_type: 'enable' },
} as const;

/** Requests for approval: those to review, one's own, and those that were decided. */
export function ApprovalsPage() {
  usePageTitle(approvals.title());
  const { id, show = 'review', status = 'applied', project, flag } = route.useSearch();
  const navigate = route.useNavigate();
  const me = useMe().user.id;
  const about: Filter =
    project !== undefined && flag !== undefined ? { project_id: project, flag_key: flag } : {};
  const all = useQuery(countQuery({ ...about, status: 'pending' })).data;
  const own = useQuery(countQuery({ ...about, status: 'pending', requestor_id: me })).data;
  // Older mail leads here.
  if (id !== undefined) return <Navigate to="/approvals/$id" params={{ id }} replace />;

  const filter: Filter = { ...about, ...filterOf(show, status, me) };
  const toMine = own ? (
    <div>
      <Button
        onPress={() => void navigate({ search: ({ status: _, ...rest }) => ({ ...rest, show: 'mine' }) })}
      >
        {approvals.showMine(own)}
      </Button>
    </div>
  ) : null;
  const content = <Requests key={show} show={show} filter={filter} me={me} toMine={toMine} />;
  const tabs: { id: Show; label: string }[] = [
    { id: 'review', label: approvals.review(all === undefined || own === undefined ? undefined : all - own) },
    { id: 'mine', label: approvals.mine(own) },
    { id: 'done', label: approvals.done() },
  ];
  return (
    <div className="page">
      <div className="stack close">
        <h1>{approvals.title()}</h1>
        <p className="soft">{approvals.lead()}</p>
      </div>
      {flag === undefined ? null : (
        <div className="row">
          <span>{approvals.about(flag)}</span>
          <Button
            look="quiet"
            onPress={() => void navigate({ search: ({ project: _, flag: __, ...rest }) => rest })}
          >
            {approvals.showAll()}
          </Button>
        </div>
      )}
      <Tabs
        label={approvals.view()}
        value={show}
        onChange={next =>
          void navigate({
            search: ({ show: _, status: __, ...rest }) =>
              next === 'review' ? rest : { ...rest, show: next as 'mine' | 'done' },
          })
        }
        tabs={tabs.map(tab => ({
          ...tab,
          content: (
            <div className="stack">
              {tab.id === 'done' ? (
                <div className="row">
                  <Select
                    label={approvals.outcome()}
                    choices={Object.entries(approvals.outcomes).map(([key, label]) => ({ id: key, label }))}
                    value={status}
                    onChange={next =>
                      void navigate({
                        search: ({ status: _, ...rest }) =>
                          next === 'rejected' ? { ...rest, status: 'rejected' } : rest,
                      })
                    }
                  />
                </div>
              ) : null}
              {content}
            </div>
          ),
        }))}
      />
    </div>
  );
}

function filterOf(show: Show, status: 'applied' | 'rejected', me: string): Filter {
  if (show === 'mine') return { requestor_id: me };
  return { status: show === 'done' ? status : 'pending' };
}

interface RequestsProps {
  show: Show;
  filter: Filter;
  me: string;
  /** Leads to one's own that wait, where there is nothing to review. */
  toMine: ReactNode;
}

/** The requests of a tab. One's own are pending too, but are not one's to review. */
function Requests({ show, filter, me, toMine }: RequestsProps) {
  const query = useInfiniteQuery(approvalsQuery(filter));
  if (query.data === undefined) {
    return <PageLoading error={query.error} height="12rem" />;
  }
  const requests = query.data.pages
    .flatMap(({ data }) => data)
    .filter(({ requestor_id }) => show !== 'review' || requestor_id !== me);
  const none = {
    review: [approvals.noneToReview(), approvals.noneToReviewText()],
    mine: [approvals.noneOfMine(), approvals.noneOfMineText()],
    done: [approvals.noneDone(), approvals.noneDoneText()],
  }[show];
  return (
    <>
      {requests.length === 0 && !query.hasNextPage ? (
        <Empty title={none[0] ?? ''} action={show === 'review' ? toMine : null} api={<Curl {...EXAMPLE} />}>
          {none[1]}
        </Empty>
      ) : (
        <RequestList requests={requests} />
      )}
      <More label={approvals.more()} query={query} />
    </>
  );
}
