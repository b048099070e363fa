import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Refusal, Refused } from '../api/refusal';
import type { components } from '../api/schema';
import { t } from '../messages/en';
import { endSessions } from '../session/endSessions';
import { end } from '../session/session';
import { Button } from '../ui/Button';
import { Chip } from '../ui/Chip';
import { ConfirmDialog } from '../ui/Dialog';
import { Banner, Loading, Skeleton } from '../ui/Feedback';
import { refusalText } from '../ui/refusalText';
import { say, warn } from '../ui/say';
import { type Column, Table } from '../ui/Table';
import { readProgram } from './browserName';
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
      title: t.security.browser(),
      cell: session => (
        <span className="row">
          {nameOf(session)}
          {session.current ? <Chip tone="good">{t.security.thisOne()}</Chip> : null}
        </span>
      ),
    },
    { id: 'address', title: t.security.address(), cell: addressOf },
    {
      id: 'used',
      title: t.security.used(),
      cell: session => <Moment at={session.last_used_at} now={dataUpdatedAt} />,
    },
    {
      id: 'started',
      title: t.security.started(),
      cell: session => <Moment at={session.created_at} now={dataUpdatedAt} />,
    },
    {
      id: 'end',
      title: t.security.actions(),
      isTitleHidden: true,
      cell: session => (
        <Button
          aria-label={t.security.endOf(nameOf(session), addressOf(session))}
          onPress={() => setAsked(session)}
        >
          {t.security.end()}
        </Button>
      ),
    },
  ];
  return (
    <section className="card" aria-labelledby="sessions">
      <div className="row apart">
        <h2 id="sessions">{t.security.sessionsTitle()}</h2>
        {data?.data.some(session => !session.current) ? (
          <Button onPress={() => setAsked('others')}>{t.security.endOthers()}</Button>
        ) : null}
      </div>
      <p className="soft">{t.security.sessionsText()}</p>
      {error instanceof Refused ? (
        <Banner tone="bad" actions={<Button onPress={() => void refetch()}>{t.common.retry()}</Button>}>
          {refusalText(error.refusal)}
        </Banner>
      ) : null}
      {data === undefined ? (
        error === null ? (
          <Loading>
            <Skeleton height="9rem" />
          </Loading>
        ) : null
      ) : (
        <Table
          label={t.security.sessions()}
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
    else if (!isOwn) say(asked === 'others' ? t.security.othersEnded() : t.security.ended());
    if (!isOwn) await client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
  }

  return (
    <ConfirmDialog
      title={asked === 'others' ? t.security.endOthersTitle() : t.security.endTitle()}
      confirm={asked === 'others' ? t.security.endOthers() : t.security.endConfirm()}
      isOpen={asked !== null}
      isPending={isPending}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p>{isOwn ? t.security.endOwnText() : textOf(asked)}</p>
    </ConfirmDialog>
  );
}

function textOf(asked: Asked): string {
  if (asked === null) return '';
  return asked === 'others' ? t.security.endOthersText() : t.security.endText(nameOf(asked));
}

function Moment({ at, now }: { at: string; now: number }) {
  return (
    <time dateTime={at} title={t.security.at(at)}>
      {t.security.ago(at, now)}
    </time>
  );
}

function nameOf(session: SessionItem): string {
  const program = readProgram(session.browser);
  if (program === null) return t.security.unknownBrowser();
  return program.system === null ? program.browser : t.security.system(program.browser, program.system);
}

function addressOf(session: SessionItem): string {
  return session.ip_address ?? t.security.unknownAddress();
}
