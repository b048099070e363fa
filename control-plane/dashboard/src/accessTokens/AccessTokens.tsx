import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { ShownOnce } from '../parts/ShownOnce';
import { Button } from '../ui/Button';
import { Empty } from '../ui/Feedback';
import { Optional } from '../ui/Optional';
import { PartLoading } from '../ui/PartLoading';
import { useNow } from '../ui/useNow';
import { sortTokens } from './lifetime';
import { accessTokens as words } from './messages';
import { NewToken } from './NewToken';
import { type AccessToken, type Holder, type Role, tokensQuery } from './queries';
import { RevokeToken } from './RevokeToken';
import { RotateToken } from './RotateToken';
import { TokenTable } from './TokenTable';

type Open =
  | { kind: 'new' }
  | { kind: 'shown'; text: string }
  | { kind: 'rotate' | 'revoke'; token: AccessToken }
  | null;

interface AccessTokensProps {
  holder: Holder;
  /** The holder's. */
  role: Role;
  mayChange: boolean;
}

/** The access tokens of a person or a service account. Those of an account are rotated, as several programs may have one. */
export function AccessTokens({ holder, role, mayChange }: AccessTokensProps) {
  const { data, error, refetch } = useQuery(tokensQuery(holder));
  const now = useNow(60_000);
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const shown = (text: string) => setOpen({ kind: 'shown', text });
  const isEmpty = data?.items.length === 0;
  const create = (
    <Button look="primary" isDisabled={!mayChange} onPress={() => setOpen({ kind: 'new' })}>
      <Plus size={16} aria-hidden />
      {words.create()}
    </Button>
  );
  return (
    <section className="card" aria-labelledby="access-tokens">
      <div className="row apart">
        <h2 id="access-tokens">{words.title()}</h2>
        {isEmpty ? null : create}
      </div>
      <p className="soft">{holder === null ? words.lead() : words.leadOfAccount()}</p>
      {data === undefined || error ? <PartLoading error={error} height="9rem" onRetry={refetch} /> : null}
      {isEmpty ? (
        <Empty title={words.emptyTitle()} action={create}>
          {words.empty()}
        </Empty>
      ) : null}
      {data === undefined || isEmpty ? null : (
        <TokenTable
          tokens={sortTokens(data.items, now)}
          now={now}
          mayChange={mayChange}
          onRotate={holder === null ? undefined : token => setOpen({ kind: 'rotate', token })}
          onRevoke={token => setOpen({ kind: 'revoke', token })}
        />
      )}
      <Optional onClose={close}>
        {open?.kind === 'new' ? (
          <NewToken holder={holder} role={role} onMade={shown} onClose={close} />
        ) : null}
        {open?.kind === 'rotate' && holder !== null ? (
          <RotateToken holder={holder} token={open.token} onMade={shown} onClose={close} />
        ) : null}
        {open?.kind === 'revoke' ? <RevokeToken holder={holder} token={open.token} onClose={close} /> : null}
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
    </section>
  );
}
