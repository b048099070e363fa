import { useQueryClient } from '@tanstack/react-query';
import type { Refusal } from '../../../api/refusal';
import { t } from '../../../messages/en';
import { TypedConfirm } from '../../../parts/TypedConfirm';
import { useMe } from '../../../session/me';
import { Button } from '../../../ui/Button';
import { Dialog, DialogActions } from '../../../ui/Dialog';
import { say } from '../../../ui/say';
import { team } from '../messages';
import { endSessions, removeMember, type TeamMember } from '../queries';
import { isSelf } from '../rules';
import { RoleDialog } from './RoleDialog';

interface MemberDialogsProps {
  kind: 'role' | 'sessions' | 'remove';
  member: TeamMember;
  onClose: () => void;
  onRemoved?: () => void;
}

/** What may be done with a member, each with what it means. */
export function MemberDialogs({ kind, member, onClose, onRemoved }: MemberDialogsProps) {
  switch (kind) {
    case 'role':
      return <RoleDialog member={member} onClose={onClose} />;
    case 'sessions':
      return <EndSessions member={member} onClose={onClose} />;
    case 'remove':
      return <Remove member={member} onClose={onClose} {...(onRemoved ? { onRemoved } : {})} />;
  }
}

function EndSessions({ member, onClose }: { member: TeamMember; onClose: () => void }) {
  async function confirm(): Promise<Refusal | null> {
    const answer = await endSessions(member.member_id);
    if (!answer.ok) return answer.refusal;
    say(team.sessionsEnded(member.name));
    return null;
  }

  return (
    <TypedConfirm
      title={team.endSessionsOf(member.name)}
      confirm={team.endSessions()}
      typed={null}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>{team.endSessionsText(member.name)}</p>
      <p className="soft">{team.endSessionsElsewhere()}</p>
    </TypedConfirm>
  );
}

interface RemoveProps {
  member: TeamMember;
  onClose: () => void;
  onRemoved?: () => void;
}

function Remove({ member, onClose, onRemoved }: RemoveProps) {
  const client = useQueryClient();
  const me = useMe();
  if (isSelf(me, member)) {
    return (
      <Dialog title={team.removeOf(member.name)} isOpen onClose={onClose}>
        <p>{team.removeSelf()}</p>
        {member.role === 'owner' ? <p>{team.removeSelfOwner()}</p> : null}
        <DialogActions>
          <Button look="primary" onPress={onClose}>
            {t.common.close()}
          </Button>
        </DialogActions>
      </Dialog>
    );
  }

  async function remove(): Promise<Refusal | null> {
    const answer = await removeMember(member.member_id);
    if (!answer.ok && answer.refusal.kind !== 'absent') return answer.refusal;
    say(team.removed(member.name));
    onRemoved?.();
    await client.invalidateQueries({ queryKey: ['team'] });
    await client.invalidateQueries({ queryKey: ['usage'] });
    return null;
  }

  return (
    <TypedConfirm
      title={team.removeOf(member.name)}
      confirm={team.removeConfirm()}
      typed={null}
      onConfirm={remove}
      onClose={onClose}
      explain={refusal => (refusal.kind === 'conflict' ? { text: team.lastOwner(member.name) } : null)}
    >
      <p>{member.invited ? team.removeInvitation(member.name) : team.removeText(member.name)}</p>
      {member.invited ? null : <p className="soft">{team.removeKept()}</p>}
    </TypedConfirm>
  );
}
