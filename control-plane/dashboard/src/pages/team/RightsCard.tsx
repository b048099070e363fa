import { useQuery } from '@tanstack/react-query';
import { roleName } from '../../parts/messages';
import { useMe } from '../../session/me';
import { Button } from '../../ui/Button';
import { team } from './messages';
import type { TeamMember } from './queries';
import { keysOf } from './roles/keys';
import { roles as words } from './roles/messages';
import { rolesQuery } from './roles/queries';
import styles from './roles/Roles.module.css';

interface RightsCardProps {
  member: TeamMember;
  /** Why the role cannot be changed, where that needs to be said. */
  barrier: string | null;
  mayChange: boolean;
  onChange: () => void;
}

/** What a member may do: their role, cut by a custom role, in words. */
export function RightsCard({ member, barrier, mayChange, onChange }: RightsCardProps) {
  const me = useMe();
  const isCut = member.custom_role_id !== null;
  const mayRead = isCut && me.features.custom_roles && me.permissions.includes('roles.manage');
  const roles = useQuery({ ...rolesQuery, enabled: mayRead });
  const custom = roles.data?.find(({ id }) => id === member.custom_role_id);
  const isKnown = !isCut || custom !== undefined;
  const keys = keysOf(member.role, custom?.permissions ?? null);
  return (
    <section className="card" aria-labelledby="rights">
      <h2 id="rights">{team.rights()}</h2>
      <p>
        {isCut
          ? team.rightsCut(roleName(member.role), custom?.name ?? null)
          : team.rightsOf(roleName(member.role))}
      </p>
      {isKnown ? (
        keys.length === 0 ? (
          <p>{words.summary(0)}</p>
        ) : (
          <ul className={styles.allowed}>
            {keys.map(key => (
              <li key={key}>{words.key(key)}</li>
            ))}
          </ul>
        )
      ) : null}
      {barrier === null ? null : <p className="soft">{barrier}</p>}
      {mayChange ? (
        <div>
          <Button onPress={onChange}>{team.changeRole()}</Button>
        </div>
      ) : null}
    </section>
  );
}
