import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../../api/refusal';
import type { components } from '../../api/schema';
import { endSessions } from '../../session/endSessions';
import { end } from '../../session/session';
import { Button } from '../../ui/Button';
import { Chip } from '../../ui/Chip';
import { ConfirmDialog } from '../../ui/Dialog';
import { PartLoading } from '../../ui/PartLoading';
import { refusalText } from '../../ui/refusalText';
import { say, warn } from '../../ui/say';
import { type Column, Table } from '../../ui/Table';
import { readProgram } from './browserName';
import { account } from './messages';
import { sessionsQuery } from './queries';

type SessionItem = components['schemas']['Session'];
type Asked = SessionItem | 'others' | null;

/** Everything that is signed in to this account, and the means to end it. */
export function SessionsCard() {
  const { data, error, refetch, dataUpdatedAt } = useQuery(sessionsQuery);
  const [asked, setAsked] = useState<Asked>(null);
  const columns: Column<SessionItem>[] = [
    {
      id: 'browser',
      title: account.security.browser(),
      cell: session => (
        <span className="row">
          {nameOf(session)}
          {session.current ? <Chip tone="good">{account.security.thisOne()}</Chip> : null}
        </span>
      ),
    },
    { id: 'address', title: account.security.address(), cell: addressOf },
    {
      id: 'used',
      title: account.security.used(),
      cell: session => <Moment at={session.last_used_at} now={dataUpdatedAt} />,
    },
    {
      id: 'started',
      title: account.security.started(),
      cell: session => <Moment at={session.created_at} now={dataUpdatedAt} />,
    },
    {
      id: 'end',
      title: account.security.actions(),
      isTitleHidden: true,
      cell: session => (
        <Button
          aria-label={account.security.endOf(nameOf(session), addressOf(session))}
          onPress={() => setAsked(session)}
        >
          {account.security.end()}
        </Button>
      ),
    },
  ];
  return (
    <section className="card" aria-labelledby="sessions">
      <div className="row apart">
        <h2 id="sessions">{account.security.sessionsTitle()}</h2>
        {data?.data.some(session => !session.current) ? (
          <Button onPress={() => setAsked('others')}>{account.security.endOthers()}</Button>
        ) : null}
      </div>
      <p className="soft">{account.security.sessionsText()}</p>
      {data === undefined || error ? <PartLoading error={error} height="9rem" onRetry={refetch} /> : null}
      {data === undefined ? null : (
        <Table
          label={account.security.sessions()}
          columns={columns}
          rows={data.data}
          rowId={session => session.id}
        />
      )}
      <EndDialog asked={asked} onClose={() => setAsked(null)} />
    </section>
  );
}

function EndDialog({ asked, onClose }: { asked: Asked; onClose: () => void }) {
  const client = useQueryClient();
  const [isPending, setPending] = useState(false);
  const isOwn = asked !== null && asked !== 'others' && asked.current;

  async function confirm() {
    if (asked === null) return;
    setPending(true);
    const refusal: Refusal | null = isOwn
      ? await end()
      : await endSessions(asked === 'others' ? asked : { id: asked.id });
    setPending(false);
    onClose();
    if (refusal !== null) warn(refusalText(refusal));
    else if (!isOwn) say(asked === 'others' ? account.security.othersEnded() : account.security.ended());
    if (!isOwn) await client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
  }

  return (
    <ConfirmDialog
      title={asked === 'others' ? account.security.endOthersTitle() : account.security.endTitle()}
      confirm={asked === 'others' ? account.security.endOthers() : account.security.endConfirm()}
      isOpen={asked !== null}
      isPending={isPending}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p>{isOwn ? account.security.endOwnText() : textOf(asked)}</p>
    </ConfirmDialog>
  );
}

function textOf(asked: Asked): string {
  if (asked === null) return '';
  return asked === 'others' ? account.security.endOthersText() : account.security.endText(nameOf(asked));
}

function Moment({ at, now }: { at: string; now: number }) {
  return (
    <time dateTime={at} title={account.security.at(at)}>
      {account.security.ago(at, now)}
    </time>
  );
}

function nameOf(session: SessionItem): string {
  const program = readProgram(session.browser);
  if (program === null) return account.security.unknownBrowser();
  return program.system === null ? program.browser : account.security.system(program.browser, program.system);
}

function addressOf(session: SessionItem): string {
  return session.ip_address ?? account.security.unknownAddress();
}
