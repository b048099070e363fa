import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { roleName } from '../../../parts/messages';
import { Button } from '../../../ui/Button';
import { Chip } from '../../../ui/Chip';
import { Curl } from '../../../ui/Curl';
import { Empty } from '../../../ui/Feedback';
import { Optional } from '../../../ui/Optional';
import { PartLoading } from '../../../ui/PartLoading';
import { type Column, Table } from '../../../ui/Table';
import { useNow } from '../../../ui/useNow';
import { Value } from '../../../ui/Value';
import { NewAccount } from './AccountDialogs';
import { AccountView, NoAccount } from './AccountView';
import { serviceAccounts as words } from './messages';
import { accountsQuery, type ServiceAccount } from './queries';

const route = getRouteApi('/framed/team');

/** The service accounts, or the one that the address names. */
export default function ServiceAccountsTab() {
  const { account: id } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, refetch } = useQuery(accountsQuery);
  const open = (account: string | undefined) =>
    void navigate({ search: { tab: 'service-accounts', ...(account === undefined ? {} : { account }) } });
  if (data === undefined) {
    return <PartLoading error={error} height="16rem" onRetry={refetch} />;
  }
  if (id === undefined) return <Accounts accounts={data.items} onMade={open} />;
  const account = data.items.find(other => other.id === id);
  return account === undefined ? (
    <NoAccount />
  ) : (
    <AccountView key={id} account={account} onDeleted={() => open(undefined)} />
  );
}

interface AccountsProps {
  accounts: readonly ServiceAccount[];
  onMade: (id: string) => void;
}

function Accounts({ accounts, onMade }: AccountsProps) {
  const now = useNow(60_000);
  const [isMaking, setMaking] = useState(false);
  const columns: Column<ServiceAccount>[] = [
    {
      id: 'name',
      title: words.name(),
      cell: ({ id, name }) => (
        <Link to="/team" search={{ tab: 'service-accounts', account: id }}>
          <Value>{name}</Value>
        </Link>
      ),
    },
    {
      id: 'role',
      title: words.role(),
      cell: ({ role, custom_role_id }) => (
        <span className="row">
          {roleName(role)}
          {custom_role_id === null ? null : <Chip>{words.customRole()}</Chip>}
        </span>
      ),
    },
    {
      id: 'created',
      title: words.created(),
      cell: ({ created_at }) => (
        <time dateTime={created_at} title={words.at(created_at)}>
          {words.ago(created_at, now)}
        </time>
      ),
    },
  ];
  const create = (
    <Button look="primary" onPress={() => setMaking(true)}>
      <Plus size={16} aria-hidden />
      {words.create()}
    </Button>
  );
  const isEmpty = accounts.length === 0;
  return (
    <div className="stack">
      <div className="row apart">
        <p className="soft">{words.lead()}</p>
        {isEmpty ? null : create}
      </div>
      {isEmpty ? (
        <Empty
          title={words.emptyTitle()}
          action={create}
          api={
            <Curl
              method="POST"
              path="/v1/service-accounts"
              body={{ name: 'Deployments', role: 'developer' }}
            />
          }
        >
          {words.empty()}
        </Empty>
      ) : (
        <Table label={words.table()} columns={columns} rows={accounts} rowId={({ id }) => id} />
      )}
      <Optional onClose={() => setMaking(false)}>
        {isMaking ? <NewAccount onMade={onMade} onClose={() => setMaking(false)} /> : null}
      </Optional>
    </div>
  );
}
