import { useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { Code } from '../../parts/Code';
import { ListPage } from '../../parts/ListPage';
import { useMay } from '../../parts/MayNot';
import { shared } from '../../parts/messages';
import { ShownOnce } from '../../parts/ShownOnce';
import { Button } from '../../ui/Button';
import { Optional } from '../../ui/Optional';
import { type Column, Table } from '../../ui/Table';
import { useNow } from '../../ui/useNow';
import { usePageTitle } from '../../ui/usePageTitle';
import { Value } from '../../ui/Value';
import { scim as words } from './messages';
import { NewToken } from './NewToken';
import { type ScimToken, tokensQuery } from './queries';
import { RevokeToken } from './RevokeToken';
import styles from './Scim.module.css';

type Open = { kind: 'new' } | { kind: 'shown'; text: string } | { kind: 'revoke'; token: ScimToken } | null;

/** The identity provider's tokens, and what to enter there. */
export function ScimPage() {
  usePageTitle(words.title());
  const list = useQuery(tokensQuery);
  const may = useMay('members.manage');
  const now = useNow(60_000);
  const [open, setOpen] = useState<Open>(null);
  const create = useCallback(() => setOpen({ kind: 'new' }), []);
  const close = () => setOpen(null);
  const tokens = list.data?.items ?? [];

  const columns: Column<ScimToken>[] = [
    { id: 'name', title: words.name(), cell: ({ name }) => <Value>{name ?? words.unnamed()}</Value> },
    {
      id: 'created',
      title: words.created(),
      cell: ({ created_at }) => (
        <time dateTime={created_at} title={words.at(created_at)}>
          {words.ago(created_at, now)}
        </time>
      ),
    },
    { id: 'ends', title: words.ends(), cell: ({ expires_at }) => <Ends at={expires_at} now={now} /> },
    {
      id: 'actions',
      title: shared.actions(),
      isTitleHidden: true,
      cell: token => (
        <Button
          aria-label={words.revokeOf(token.name ?? words.unnamed())}
          isDisabled={!may}
          onPress={() => setOpen({ kind: 'revoke', token })}
        >
          {words.revoke()}
        </Button>
      ),
    },
  ];
  return (
    <>
      <ListPage
        title={words.title()}
        lead={words.lead()}
        permit="members.manage"
        list={{ ...list, isLoaded: list.data !== undefined }}
        create={{ id: 'create-scim-token', label: words.create(), isAllowed: may, run: create }}
        empty={{
          isEmpty: tokens.length === 0,
          title: words.emptyTitle(),
          text: words.empty(),
          request: {
            method: 'POST',
            path: '/v1/scim/tokens',
            body: { name: 'Okta', expires_in_days: 365 },
          },
        }}
        footer={list.data === undefined ? null : <Connect />}
      >
        <Table label={words.table()} columns={columns} rows={tokens} rowId={({ id }) => id} />
      </ListPage>
      <Optional onClose={close}>
        {open?.kind === 'new' ? (
          <NewToken onMade={text => setOpen({ kind: 'shown', text })} onClose={close} />
        ) : null}
        {open?.kind === 'revoke' ? <RevokeToken token={open.token} onClose={close} /> : null}
      </Optional>
      {open?.kind === 'shown' ? (
        <ShownOnce
          title={words.shownTitle()}
          warning={words.shownText()}
          label={words.token()}
          secret={open.text}
          copy={words.copyToken()}
          kept={words.kept()}
          onClose={close}
        />
      ) : null}
    </>
  );
}

function Ends({ at, now }: { at: string | null; now: number }) {
  if (at === null) return words.never();
  return (
    <time dateTime={at} title={words.at(at)}>
      {Date.parse(at) <= now ? words.expired(at) : words.date(at)}
    </time>
  );
}

function Connect() {
  const address = `${location.origin}/v1/scim`;
  return (
    <section className="card" aria-labelledby="connect">
      <h2 id="connect">{words.connect()}</h2>
      <p className="soft">{words.connectText()}</p>
      <Code label={words.address()} text={address} copy={words.copyAddress()} isWrapped />
      <div className={styles.providers}>
        <Steps title={words.oktaTitle()} steps={words.okta()} />
        <Steps title={words.entraTitle()} steps={words.entra()} />
      </div>
      <p className="soft">{words.newMembers()}</p>
    </section>
  );
}

function Steps({ title, steps }: { title: string; steps: readonly string[] }) {
  return (
    <div className="stack close">
      <h3>{title}</h3>
      <ol className={styles.steps}>
        {steps.map(step => (
          <li key={step}>{step}</li>
        ))}
      </ol>
    </div>
  );
}
