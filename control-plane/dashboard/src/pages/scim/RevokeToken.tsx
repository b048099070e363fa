import { useQueryClient } from '@tanstack/react-query';
import type { Refusal } from '../../api/refusal';
import { TypedConfirm } from '../../parts/TypedConfirm';
import { say } from '../../ui/say';
import { scim as words } from './messages';
import { revokeToken, type ScimToken, tokensQuery } from './queries';

export function RevokeToken({ token, onClose }: { token: ScimToken; onClose: () => void }) {
  const client = useQueryClient();
  const name = token.name ?? words.unnamed();

  async function revoke(): Promise<Refusal | null> {
    const answer = await revokeToken(token.id);
    await client.invalidateQueries({ queryKey: tokensQuery.queryKey });
    if (!answer.ok && answer.refusal.kind !== 'absent') return answer.refusal;
    say(words.revoked(name));
    return null;
  }

  return (
    <TypedConfirm
      title={words.revokeTitle(name)}
      confirm={words.revokeConfirm()}
      typed={token.name === null ? null : token.name.trim()}
      onConfirm={revoke}
      onClose={onClose}
    >
      <p>{words.revokeText()}</p>
    </TypedConfirm>
  );
}
