import { useQuery } from '@tanstack/react-query';
import { useMe } from '../../session/me';
import { words } from './messages';
import { namesQuery } from './queries';

/** The name of an account, as far as this person may know it. */
export function useNameOf(): (id: string | null) => string {
  const { user, permissions } = useMe();
  const names = useQuery({ ...namesQuery, enabled: permissions.includes('members.read') }).data;
  return id => (id === user.id ? user.name : (names?.get(id) ?? words.someone()));
}
