import { useQueryClient } from '@tanstack/react-query';
import type { Refusal } from '../../api/refusal';
import { TypedConfirm } from '../../parts/TypedConfirm';
import { say } from '../../ui/say';
import { useNow } from '../../ui/useNow';
import { KeyUse } from './KeyUse';
import { apiKeys as words } from './messages';
import { type ApiKey, keysQuery, revokeKey } from './queries';

interface RevokeKeyProps {
  envId: string;
  apiKey: ApiKey;
  onClose: () => void;
}

export function RevokeKey({ envId, apiKey, onClose }: RevokeKeyProps) {
  const client = useQueryClient();
  const now = useNow(10_000);

  async function revoke(): Promise<Refusal | null> {
    const answer = await revokeKey(apiKey.id);
    await client.invalidateQueries({ queryKey: keysQuery(envId).queryKey });
    if (!answer.ok) return answer.refusal;
    say(words.revoked(apiKey.name));
    return null;
  }

  return (
    <TypedConfirm
      title={words.revokeTitle(apiKey.name)}
      confirm={words.revokeConfirm()}
      typed={apiKey.name.trim()}
      onConfirm={revoke}
      onClose={onClose}
    >
      <KeyUse apiKey={apiKey} now={now} />
      <p>{words.revokeText()}</p>
    </TypedConfirm>
  );
}
