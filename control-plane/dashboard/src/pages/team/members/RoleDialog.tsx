import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../../../api/refusal';
import { roleName } from '../../../parts/messages';
import { Radios } from '../../../parts/Radios';
import { useMe } from '../../../session/me';
import { Banner } from '../../../ui/Feedback';
import { FormDialog } from '../../../ui/FormDialog';
import { Select } from '../../../ui/Select';
import { say } from '../../../ui/say';
import { team } from '../messages';
import { ROLES, type Role, type TeamMember, updateMember } from '../queries';
import { rolesQuery } from '../roles/queries';
import { isSelf, rolesToGive } from '../rules';

const NONE = 'none';

interface RoleDialogProps {
  /** Or a service account, which is a member too. */
  member: Pick<TeamMember, 'member_id' | 'name' | 'role' | 'custom_role_id' | 'user_id'>;
  onClose: () => void;
}

/** The role, and the custom role that takes away from it where the plan has them. */
export function RoleDialog({ member, onClose }: RoleDialogProps) {
  const client = useQueryClient();
  const me = useMe();
  const [role, setRole] = useState<Role>(member.role);
  const [custom, setCustom] = useState(member.custom_role_id ?? NONE);
  const mayRestrict = me.features.custom_roles && me.permissions.includes('roles.manage');
  const roles = useQuery({ ...rolesQuery, enabled: mayRestrict });

  async function submit(): Promise<Refusal | null> {
    const chosen = custom === NONE ? null : custom;
    const answer = await updateMember(member.member_id, {
      role,
      ...(chosen === member.custom_role_id ? {} : { custom_role_id: chosen }),
    });
    if (!answer.ok) return answer.refusal;
    say(team.roleChanged(member.name));
    onClose();
    await client.invalidateQueries({ queryKey: ['team'] });
    if (isSelf(me, member)) await client.invalidateQueries({ queryKey: ['me'] });
    return null;
  }

  const choices = [
    { id: NONE, label: team.noCustom() },
    ...(roles.data ?? []).map(({ id, name }) => ({ id, label: name })),
    // Kept from a plan that had them.
    ...(member.custom_role_id !== null && !mayRestrict
      ? [{ id: member.custom_role_id, label: team.customRole() }]
      : []),
  ];
  return (
    <FormDialog
      title={team.changeRoleOf(member.name)}
      submit={team.changeRole()}
      onSubmit={submit}
      explain={refusal => (refusal.kind === 'conflict' ? { text: team.lastOwner(member.name) } : null)}
      onClose={onClose}
    >
      {isSelf(me, member) ? <Banner tone="warn">{team.ownRole()}</Banner> : null}
      <Radios
        label={team.role()}
        choices={rolesToGive(me, ROLES).map(id => ({
          id,
          label: roleName(id),
          hint: team.roleText(id),
        }))}
        value={role}
        onChange={setRole}
      />
      {mayRestrict || member.custom_role_id !== null ? (
        <Select
          label={team.custom()}
          description={team.customText()}
          choices={choices}
          value={custom}
          onChange={setCustom}
        />
      ) : null}
      <p className="soft small">{team.roleAtOnce()}</p>
    </FormDialog>
  );
}
