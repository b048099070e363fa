import { useQueryClient } from '@tanstack/react-query';
import type { Refusal } from '../../../api/refusal';
import { TypedConfirm } from '../../../parts/TypedConfirm';
import { say } from '../../../ui/say';
import { roles as words } from './messages';
import { type CustomRole, deleteRole } from './queries';

/** A role that members have stays: the service refuses, and the dialog says what to do first. */
export function DeleteRole({ role, onClose }: { role: CustomRole; onClose: () => void }) {
  const client = useQueryClient();

  async function remove(): Promise<Refusal | null> {
    const answer = await deleteRole(role.id);
    if (!answer.ok && answer.refusal.kind !== 'absent') return answer.refusal;
    say(words.deleted(role.name));
    await client.invalidateQueries({ queryKey: ['roles'] });
    return null;
  }

  return (
    <TypedConfirm
      title={words.deleteTitle(role.name)}
      confirm={words.deleteConfirm()}
      typed={null}
      onConfirm={remove}
      onClose={onClose}
      explain={refusal => (refusal.kind === 'conflict' ? { text: words.inUse(role.name) } : null)}
    >
      <p>{words.deleteText()}</p>
    </TypedConfirm>
  );
}
