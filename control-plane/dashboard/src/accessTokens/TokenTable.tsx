import { useQueries } from '@tanstack/react-query';
import type { Environment } from '../api/model';
import { environmentsQuery } from '../frame/environments';
import { shared } from '../parts/messages';
import { useMe } from '../session/me';
import { Button } from '../ui/Button';
import { Chip } from '../ui/Chip';
import { type Column, Table } from '../ui/Table';
import { Value } from '../ui/Value';
import styles from './AccessTokens.module.css';
import { endingOf } from './lifetime';
import { limitsOf } from './limits';
import { accessTokens as words } from './messages';
import type { AccessToken } from './queries';

interface TokenTableProps {
  tokens: readonly AccessToken[];
  now: number;
  mayChange: boolean;
  /** Absent where tokens are not rotated. */
  onRotate?: ((token: AccessToken) => void) | undefined;
  onRevoke: (token: AccessToken) => void;
}

export function TokenTable({ tokens, now, mayChange, onRotate, onRevoke }: TokenTableProps) {
  const limits = useLimits(tokens);
  const columns: Column<AccessToken>[] = [
    {
      id: 'name',
      title: words.name(),
      cell: ({ name, created_at }) => (
        <span className={styles.cell}>
          <Value>{name}</Value>
          <time className="soft small" dateTime={created_at} title={words.at(created_at)}>
            {words.created(created_at, now)}
          </time>
        </span>
      ),
    },
    { id: 'limits', title: words.limits(), cell: token => <Limits lines={limits(token)} /> },
    { id: 'used', title: words.used(), cell: token => <Used token={token} now={now} /> },
    { id: 'ends', title: words.ends(), cell: token => <Ends token={token} now={now} /> },
    {
      id: 'actions',
      title: shared.actions(),
      isTitleHidden: true,
      cell: token => (
        <span className="row">
          {onRotate === undefined || endingOf(token, now) === 'ended' ? null : (
            <Button
              aria-label={words.rotateOf(token.name, token.created_at)}
              isDisabled={!mayChange}
              onPress={() => onRotate(token)}
            >
              {words.rotate()}
            </Button>
          )}
          <Button
            aria-label={words.revokeOf(token.name, token.created_at)}
            isDisabled={!mayChange}
            onPress={() => onRevoke(token)}
          >
            {words.revoke()}
          </Button>
        </span>
      ),
    },
  ];
  return <Table label={words.title()} columns={columns} rows={tokens} rowId={({ id }) => id} />;
}

/** The limits in words, with the names of environments in the projects that tokens with such limits name. */
function useLimits(tokens: readonly AccessToken[]): (token: AccessToken) => string[] {
  const { projects } = useMe();
  const named = new Set(
    tokens.flatMap(({ env_ids, project_ids }) => (env_ids === null ? [] : (project_ids ?? []))),
  );
  const found = useQueries({
    queries: projects
      .filter(({ id }) => named.has(id))
      .map(({ id: project_id }) => ({
        ...environmentsQuery(project_id),
        select: ({ data }: { data: Environment[] }) => data.map(({ id, name }) => ({ id, name, project_id })),
      })),
  });
  const environments = found.flatMap(({ data }) => data ?? []);
  return token => limitsOf(token, projects, environments);
}

function Limits({ lines }: { lines: readonly string[] }) {
  if (lines.length === 0) return words.unlimited();
  return (
    <ul className={styles.cell}>
      {lines.map(line => (
        <li key={line}>
          <Value>{line}</Value>
        </li>
      ))}
    </ul>
  );
}

function Used({ token: { last_used_at, last_used_ip }, now }: { token: AccessToken; now: number }) {
  if (last_used_at === null) return words.never();
  return (
    <span className={styles.cell}>
      <time dateTime={last_used_at} title={words.at(last_used_at)}>
        {words.ago(last_used_at, now)}
      </time>
      {last_used_ip === null ? null : <span className="soft small">{words.usedFrom(last_used_ip)}</span>}
    </span>
  );
}

function Ends({ token, now }: { token: AccessToken; now: number }) {
  const ending = endingOf(token, now);
  return (
    <span className={styles.cell}>
      <time dateTime={token.expires_at} title={words.at(token.expires_at)}>
        {words.endsAt(token.expires_at)}
      </time>
      {ending === 'later' ? null : (
        <Chip tone={ending === 'soon' ? 'warn' : 'plain'}>
          {ending === 'soon' ? words.soon() : words.expired()}
        </Chip>
      )}
    </span>
  );
}
