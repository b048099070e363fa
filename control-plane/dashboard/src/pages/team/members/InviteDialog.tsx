import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../../../api/refusal';
import { roleName } from '../../../parts/messages';
import { PlanLimit } from '../../../parts/PlanLimit';
import { Radios } from '../../../parts/Radios';
import type { Limit } from '../../../parts/usage';
import { useMe } from '../../../session/me';
import { buttonClass } from '../../../ui/Button';
import { TextField } from '../../../ui/Field';
import { FormDialog } from '../../../ui/FormDialog';
import { say } from '../../../ui/say';
import { team } from '../messages';
import { inviteMember, ROLES, type Role } from '../queries';
import { rolesToGive } from '../rules';

interface InviteDialogProps {
  limit: Limit | null;
  onClose: () => void;
}

/** One address and its role; the plan's seats are shown before they are used up. */
export function InviteDialog({ limit, onClose }: InviteDialogProps) {
  const client = useQueryClient();
  const me = useMe();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('developer');

  async function submit(): Promise<Refusal | null> {
    const answer = await inviteMember(email.trim(), role);
    if (!answer.ok) return answer.refusal;
    say(team.invited(email.trim()));
    onClose();
    await client.invalidateQueries({ queryKey: ['team'] });
    await client.invalidateQueries({ queryKey: ['usage'] });
    return null;
  }

  function explain(refusal: Refusal) {
    if (refusal.kind === 'conflict') return { field: 'email', text: team.alreadyMember() };
    if (refusal.kind === 'invalid') return { field: 'email', text: team.emailWrong() };
    if (refusal.kind !== 'plan') return null;
    const action = me.permissions.includes('billing.read') ? (
      <a href="/settings/billing" className={buttonClass()}>
        {team.seePlans()}
      </a>
    ) : null;
    return { text: team.full(), action };
  }

  return (
    <FormDialog
      title={team.invite()}
      submit={team.sendInvitation()}
      onSubmit={submit}
      explain={explain}
      onClose={onClose}
    >
      <PlanLimit limit={limit} what="seats" />
      <TextField
        name="email"
        label={team.email()}
        description={team.emailText()}
        type="email"
        isRequired
        autoFocus
        autoComplete="off"
        value={email}
        onChange={setEmail}
      />
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
    </FormDialog>
  );
}
