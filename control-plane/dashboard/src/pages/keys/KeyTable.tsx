import { shared } from '../../parts/messages';
import { secondsLeft } from '../../session/countdown';
import { Button } from '../../ui/Button';
import { Chip } from '../../ui/Chip';
import { type Column, Table } from '../../ui/Table';
import styles from './Keys.module.css';
import { countdownOf } from './lifetime';
import { apiKeys as words } from './messages';
import type { ApiKey } from './queries';

interface KeyTableProps {
  keys: readonly ApiKey[];
  now: number;
  mayChange: boolean;
  mayRehearse: boolean;
  onRotate: (key: ApiKey) => void;
  onRevoke: (key: ApiKey) => void;
  onRehearse: (key: ApiKey) => void;
}

/** Keys that can be used. */
export function KeyTable({
  keys,
  now,
  mayChange,
  mayRehearse,
  onRotate,
  onRevoke,
  onRehearse,
}: KeyTableProps) {
  const columns: Column<ApiKey>[] = [
    ...described(now),
    {
      id: 'ends',
      title: words.ends(),
      cell: key => <Ends apiKey={key} now={now} />,
    },
    {
      id: 'actions',
      title: shared.actions(),
      isTitleHidden: true,
      cell: key => (
        <span className={styles.actions}>
          <Button
            aria-label={words.rehearseOf(key.name, key.key_prefix)}
            isDisabled={!mayRehearse}
            onPress={() => onRehearse(key)}
          >
            {words.rehearse()}
          </Button>
          <Button
            aria-label={words.rotateOf(key.name, key.key_prefix)}
            isDisabled={!mayChange}
            onPress={() => onRotate(key)}
          >
            {words.rotate()}
          </Button>
          <Button
            aria-label={words.revokeOf(key.name, key.key_prefix)}
            isDisabled={!mayChange}
            onPress={() => onRevoke(key)}
          >
            {words.revoke()}
          </Button>
        </span>
      ),
    },
  ];
  return <Table label={words.table()} columns={columns} rows={keys} rowId={({ id }) => id} />;
}

/** Keys that were revoked or have expired. */
export function EndedKeyTable({ keys, now }: { keys: readonly ApiKey[]; now: number }) {
  const columns: Column<ApiKey>[] = [
    ...described(now),
    {
      id: 'ended',
      title: words.ended(),
      cell: ({ revoked_at, expires_at }) =>
        revoked_at === null ? words.expiredAt(expires_at ?? '', now) : words.revokedAt(revoked_at, now),
    },
  ];
  return <Table label={words.endedTable()} columns={columns} rows={keys} rowId={({ id }) => id} />;
}

function described(now: number): Column<ApiKey>[] {
  return [
    {
      id: 'name',
      title: words.name(),
      cell: ({ name, key_prefix }) => (
        <span className={styles.key}>
          {name}
          <code className="soft small">{words.prefix(key_prefix)}</code>
        </span>
      ),
    },
    { id: 'type', title: words.type(), cell: ({ type }) => <Chip>{words.typeName(type)}</Chip> },
    { id: 'created', title: words.created(), cell: ({ created_at }) => <Moment at={created_at} now={now} /> },
    {
      id: 'used',
      title: words.used(),
      cell: ({ last_used_at }) =>
        last_used_at === null ? words.never() : <Moment at={last_used_at} now={now} />,
    },
  ];
}

function Ends({ apiKey, now }: { apiKey: ApiKey; now: number }) {
  if (apiKey.expires_at === null) return words.endsNever();
  const until = countdownOf(apiKey, now);
  return (
    <time
      dateTime={apiKey.expires_at}
      title={words.at(apiKey.expires_at)}
      className={until === null ? undefined : styles.counting}
    >
      {until === null ? words.endsAt(apiKey.expires_at) : words.endsIn(shared.span(secondsLeft(until, now)))}
    </time>
  );
}

function Moment({ at, now }: { at: string; now: number }) {
  return (
    <time dateTime={at} title={words.at(at)}>
      {words.ago(at, now)}
    </time>
  );
}
