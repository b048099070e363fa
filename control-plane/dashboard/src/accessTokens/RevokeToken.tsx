import { useQueryClient } from '@tanstack/react-query';
import type { Refusal } from '../api/refusal';
import { TypedConfirm } from '../parts/TypedConfirm';
import { say } from '../ui/say';
import { useNow } from '../ui/useNow';
import { endingOf } from './lifetime';
import { accessTokens as words } from './messages';
import { type AccessToken, type Holder, revokeToken, tokensQuery } from './queries';

interface RevokeTokenProps {
  holder: Holder;
  token: AccessToken;
  onClose: () => void;
}

export function RevokeToken({ holder, token, onClose }: RevokeTokenProps) {
  const client = useQueryClient();
  const now = useNow(10_000);
  const { name, last_used_at } = token;
  const isEnded = endingOf(token, now) === 'ended';

  async function revoke(): Promise<Refusal | null> {
    const answer = await revokeToken(holder, token.id);
    await client.invalidateQueries({ queryKey: tokensQuery(holder).queryKey });
    if (!answer.ok && answer.refusal.kind !== 'absent') return answer.refusal;
    say(words.revoked(name));
    return null;
  }

  return (
    <TypedConfirm
      title={words.revokeTitle(name)}
      confirm={words.revokeConfirm()}
      typed={isEnded ? null : name.trim()}
      onConfirm={revoke}
      onClose={onClose}
    >
      <p>{last_used_at === null ? words.usedNever() : words.usedLast(last_used_at, now)}</p>
      <p>{isEnded ? words.revokeExpired() : words.revokeText()}</p>
    </TypedConfirm>
  );
}
