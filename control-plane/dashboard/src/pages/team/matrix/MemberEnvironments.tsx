import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { environmentsQuery } from '../../../frame/environments';
import { LeaveWarning } from '../../../parts/LeaveWarning';
import { useMe } from '../../../session/me';
import { Skeleton } from '../../../ui/Feedback';
import { Select } from '../../../ui/Select';
import { team } from '../messages';
import type { TeamMember } from '../queries';
import { rolesQuery } from '../roles/queries';
import { mayManage } from '../rules';
import { Checks } from './Checks';
import styles from './Matrix.module.css';
import { Reason } from './MatrixRow';
import { cellOf, type Draft, edited, NO_DRAFT } from './matrix';
import { matrix } from './messages';
import { SaveBar } from './SaveBar';

interface MemberEnvironmentsProps {
  /** Or a service account, which is a member too. */
  member: Pick<TeamMember, 'member_id' | 'name' | 'role' | 'custom_role_id' | 'email' | 'permissions'>;
  project: { id: string; slug: string; name: string };
  onProject: (slug: string) => void;
}

/** What one member may do in the environments of a project. */
export function MemberEnvironments({ member, project, onProject }: MemberEnvironmentsProps) {
  const me = useMe();
  const [draft, setDraft] = useState<Draft>(NO_DRAFT);
  const environments = useQuery(environmentsQuery(project.id));
  const mayRead = me.features.custom_roles && me.permissions.includes('roles.manage');
  const roles = useQuery({ ...rolesQuery, enabled: mayRead && member.custom_role_id !== null });
  const held = roles.data?.find(({ id }) => id === member.custom_role_id)?.permissions ?? null;
  return (
    <section className="card" aria-labelledby="environments">
      <h2 id="environments">{team.environmentsTitle()}</h2>
      <p className="soft">{matrix.lead()}</p>
      {member.role === 'developer' && held === null ? null : <Reason member={member} held={held} />}
      {me.projects.length > 1 ? (
        <div>
          <Select
            label={matrix.project()}
            choices={me.projects.map(({ slug, name }) => ({ id: slug, label: name }))}
            value={project.slug}
            onChange={onProject}
          />
        </div>
      ) : null}
      {environments.data === undefined ? (
        <Skeleton height="8rem" />
      ) : (
        <ul className={styles.list}>
          {environments.data.data.map(environment => (
            <li key={environment.id}>
              <Checks
                member={member}
                environment={environment}
                cell={cellOf(draft, member, environment.id)}
                held={held}
                isReadOnly={!mayManage(me)}
                onEdit={(kind, value) => setDraft(now => edited(now, member, environment.id, kind, value))}
              />
            </li>
          ))}
        </ul>
      )}
      <SaveBar draft={draft} onDraft={setDraft} />
      <LeaveWarning names={draft.size === 0 ? [] : [matrix.unsaved(draft.size)]} />
    </section>
  );
}
