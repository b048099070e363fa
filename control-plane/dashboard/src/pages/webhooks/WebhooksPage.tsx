import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { usePolling } from '../../frame/Live';
import { ListPage } from '../../parts/ListPage';
import { useMay } from '../../parts/MayNot';
import { shared } from '../../parts/messages';
import { Optional } from '../../ui/Optional';
import { type Column, Table } from '../../ui/Table';
import { useNow } from '../../ui/useNow';
import { usePageTitle } from '../../ui/usePageTitle';
import { Value } from '../../ui/Value';
import { isEverything } from './events';
import { webhooks as words } from './messages';
import { NewWebhook } from './NewWebhook';
import { type Webhook, webhooksQuery } from './queries';
import { SecretShown } from './SecretShown';
import { StatusChip } from './StatusChip';
import styles from './Webhooks.module.css';

const EXAMPLE = {
  name: 'Chat',
  url: 'https://hooks.example.com/flags',
  secret: 'choose-a-long-one',
  events: ['flag.killed'],
};

type Open = { kind: 'new' } | { kind: 'shown'; id: string; secret: string } | null;

export function WebhooksPage() {
  usePageTitle(words.title());
  const list = useQuery({ ...webhooksQuery, refetchInterval: usePolling() });
  const mayManage = useMay('webhooks.manage');
  const navigate = useNavigate();
  const [open, setOpen] = useState<Open>(null);
  const create = useCallback(() => setOpen({ kind: 'new' }), []);
  const show = (id: string) => void navigate({ to: '/webhooks/$id', params: { id } });
  const items = list.data?.items ?? [];

  return (
    <>
      <ListPage
        title={words.title()}
        lead={words.lead()}
        permit="webhooks.manage"
        list={{ ...list, isLoaded: list.data !== undefined }}
        create={{ id: 'create-webhook', label: words.create(), isAllowed: mayManage, run: create }}
        empty={{
          isEmpty: items.length === 0,
          title: words.emptyTitle(),
          text: words.empty(),
          request: { method: 'POST', path: '/v1/webhooks', body: EXAMPLE },
        }}
        footer={
          list.data !== undefined && list.data.total > items.length ? (
            <p className="soft">{shared.partOf(items.length, list.data.total)}</p>
          ) : null
        }
      >
        <WebhookTable webhooks={items} />
      </ListPage>
      <Optional onClose={() => setOpen(null)}>
        {open?.kind === 'new' ? (
          <NewWebhook
            onMade={(id, secret) => (secret === null ? show(id) : setOpen({ kind: 'shown', id, secret }))}
            onClose={() => setOpen(null)}
          />
        ) : null}
      </Optional>
      {open?.kind === 'shown' ? <SecretShown secret={open.secret} onClose={() => show(open.id)} /> : null}
    </>
  );
}

function WebhookTable({ webhooks }: { webhooks: readonly Webhook[] }) {
  const now = useNow(60_000);
  const columns: Column<Webhook>[] = [
    {
      id: 'name',
      title: words.webhook(),
      cell: ({ id, name, url }) => (
        <span className={styles.name}>
          <Link to="/webhooks/$id" params={{ id }}>
            <Value>{name}</Value>
          </Link>
          <Value className="soft small">{url}</Value>
        </span>
      ),
    },
    {
      id: 'events',
      title: words.events(),
      cell: ({ events }) => (isEverything(events) ? words.everything() : words.chosen(events)),
    },
    { id: 'status', title: words.status(), cell: ({ enabled }) => <StatusChip isEnabled={enabled} /> },
    {
      id: 'changed',
      title: words.changed(),
      cell: ({ updated_at }) => <time dateTime={updated_at}>{words.ago(updated_at, now)}</time>,
    },
  ];
  return <Table label={words.table()} columns={columns} rows={webhooks} rowId={({ id }) => id} />;
}
