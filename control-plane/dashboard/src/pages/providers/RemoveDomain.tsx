import { useQueryClient } from '@tanstack/react-query';
import type { Refusal } from '../../api/refusal';
import { TypedConfirm } from '../../parts/TypedConfirm';
import { say } from '../../ui/say';
import { domains as words } from './messages';
import { type Domain, domainsQuery, removeDomain } from './queries';

interface RemoveDomainProps {
  domain: Domain;
  onClose: () => void;
}

/** Says what a domain was good for before it goes. */
export function RemoveDomain({ domain: { id, domain, proven_at }, onClose }: RemoveDomainProps) {
  const client = useQueryClient();

  async function remove(): Promise<Refusal | null> {
    const answer = await removeDomain(id);
    await client.invalidateQueries({ queryKey: domainsQuery.queryKey });
    if (!answer.ok && answer.refusal.kind !== 'absent') return answer.refusal;
    say(words.removed(domain));
    return null;
  }

  return (
    <TypedConfirm
      title={words.removeTitle(domain)}
      confirm={words.removeConfirm()}
      typed={null}
      onConfirm={remove}
      onClose={onClose}
    >
      {proven_at === null ? null : <p>{words.removeText(domain)}</p>}
      <p>{words.removeAgain()}</p>
    </TypedConfirm>
  );
}
