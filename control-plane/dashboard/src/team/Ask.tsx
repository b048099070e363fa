import { useQuery } from '@tanstack/react-query';
import { use } from 'react';
import { MeContext } from '../session/me';
import { asking } from './messages';
import { granters } from './queries';

interface AskProps {
  /** The thing to ask for: owners grant a plan, admins too everything else. */
  who: 'owners' | 'admins';
  /** What to ask them, with their names if those are known; the usual sentence when absent. */
  words?: (names: readonly string[]) => string;
}

/** Whom to ask, by name where the role may read who is there. */
export function Ask({ who, words }: AskProps) {
  const me = use(MeContext);
  const mayRead = me?.permissions.includes('members.read') === true;
  const { data } = useQuery({ ...granters, enabled: mayRead });
  const names = (data ?? [])
    .filter(({ role, email }) => (role === 'owner' || who === 'admins') && email !== me?.user.email)
    .map(({ name }) => name);
  if (words !== undefined) return <p>{words(names)}</p>;
  if (names.length > 0) return <p>{who === 'owners' ? asking.askOwners(names) : asking.askAdmins(names)}</p>;
  return <p>{who === 'owners' ? asking.askAnOwner() : asking.askAnAdmin()}</p>;
}
