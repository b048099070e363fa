import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Refused } from '../../api/refusal';
import { Button } from '../../ui/Button';
import { Chip } from '../../ui/Chip';
import { Empty, Loading, Skeleton } from '../../ui/Feedback';
import { RefusalPage } from '../../ui/RefusalPage';
import { Select } from '../../ui/Select';
import { useNow } from '../../ui/useNow';
import { usePageTitle } from '../../ui/usePageTitle';
import styles from './Approvals.module.css';
import { approvals } from './messages';
import { type Approval, approvalsQuery } from './queries';
import { RequestDialog } from './RequestDialog';

const route = getRouteApi('/framed/approvals');

/** Requests for approval, and the one that `id` names. Mail leads here. */
export function ApprovalsPage() {
  usePageTitle(approvals.title());
  const { id, show } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, refetch } = useQuery(approvalsQuery(show === 'all' ? undefined : 'pending'));
  if (data === undefined && error instanceof Refused)
    return <RefusalPage refusal={error.refusal} onRetry={() => void refetch()} />;

  const open = (next: string | undefined) =>
    void navigate({ search: ({ id: _, ...rest }) => (next === undefined ? rest : { ...rest, id: next }) });
  return (
    <div className="page">
      <div className="stack close">
        <h1>{approvals.title()}</h1>
        <p className="soft">{approvals.lead()}</p>
      </div>
      <div className="row">
        <Select
          label={approvals.shown()}
          choices={[
            { id: 'pending', label: approvals.pending() },
            { id: 'all', label: approvals.all() },
          ]}
          value={show ?? 'pending'}
          onChange={choice => void navigate({ search: choice === 'all' ? { show: 'all' } : {} })}
        />
      </div>
      {data === undefined ? (
        <Loading>
          <Skeleton height="12rem" />
        </Loading>
      ) : (
        <Requests requests={data.data} isAll={show === 'all'} onOpen={open} />
      )}
      {data?.has_more ? <p className="soft">{approvals.more()}</p> : null}
      {id === undefined ? null : <RequestDialog id={id} onClose={() => open(undefined)} />}
    </div>
  );
}

interface RequestsProps {
  requests: readonly Approval[];
  isAll: boolean;
  onOpen: (id: string) => void;
}

function Requests({ requests, isAll, onOpen }: RequestsProps) {
  const now = useNow(60_000);
  if (requests.length === 0) {
    return <Empty title={isAll ? approvals.noneAtAll() : approvals.none()}>{approvals.noneText()}</Empty>;
  }
  return (
    <ul className={styles.lines} aria-label={approvals.title()}>
      {requests.map(({ id, flag_key, env_slug, change_type, requestor_name, created_at, status }) => {
        const gone = approvals.gone();
        const name = approvals.request(flag_key ?? gone, env_slug ?? gone);
        return (
          <li key={id}>
            <span className={styles.what}>
              <span>
                <strong>{name}</strong> <code>{change_type}</code>
              </span>
              <span className="soft small">{approvals.asked(requestor_name ?? gone, created_at, now)}</span>
            </span>
            <span className="row">
              <Chip tone={status === 'pending' ? 'warn' : 'plain'}>{approvals.status(status)}</Chip>
              <Button aria-label={approvals.open(name)} onPress={() => onOpen(id)}>
                {approvals.openShort()}
              </Button>
            </span>
          </li>
        );
      })}
    </ul>
  );
}
