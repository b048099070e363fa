import { useQueryClient } from '@tanstack/react-query';
import type { Refusal } from '../../api/refusal';
import { TypedConfirm } from '../../parts/TypedConfirm';
import { say } from '../../ui/say';
import { providers as words } from './messages';
import { type Provider, removeProvider, SIGN_IN } from './queries';

/** Says whom the end of a provider affects, and asks for its name. */
export function RemoveProvider({ provider, onClose }: { provider: Provider; onClose: () => void }) {
  const client = useQueryClient();
  const { id, name } = provider;

  async function remove(): Promise<Refusal | null> {
    const answer = await removeProvider(id);
    await client.invalidateQueries({ queryKey: SIGN_IN });
    if (!answer.ok && answer.refusal.kind !== 'absent') return answer.refusal;
    say(words.removed(name));
    return null;
  }

  return (
    <TypedConfirm
      title={words.removeTitle(name)}
      confirm={words.removeConfirm()}
      typed={name.trim()}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>{words.removeSessions()}</p>
      <p>{words.removeMembers()}</p>
      <p>{words.removeForgotten()}</p>
    </TypedConfirm>
  );
}
