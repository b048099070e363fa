import { useRef } from 'react';
import { Menu } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import type { Me } from '../../../session/me';
import { MenuItem } from '../../../ui/Menu';
import menu from '../../../ui/Menu.module.css';
import { team } from '../messages';
import type { TeamMember } from '../queries';
import { isSelf } from '../rules';
import type { Asked } from './MembersTab';

export interface MenuTarget {
  member: TeamMember;
  /** The button that opened it, which gets the focus back. */
  button: HTMLElement;
}

interface MemberMenuProps extends MenuTarget {
  me: Me;
  onAsk: (asked: Asked) => void;
  onClose: () => void;
}

/** What may be done with a member. There is one menu for the whole list, at the row that opened it. */
export function MemberMenu({ member, button, me, onAsk, onClose }: MemberMenuProps) {
  const trigger = useRef<HTMLElement>(button);
  const label = team.actionsOf(member.name);
  return (
    <Popover
      triggerRef={trigger}
      aria-label={label}
      className={menu.popover}
      placement="bottom end"
      isOpen
      onOpenChange={isOpen => isOpen || onClose()}
    >
      <Menu className={menu.list} aria-label={label} autoFocus="first" onClose={onClose}>
        <MenuItem id="role" label={team.changeRole()} onAction={() => onAsk({ kind: 'role', member })} />
        {isSelf(me, member) || member.invited ? null : (
          <MenuItem
            id="sessions"
            label={team.endSessions()}
            onAction={() => onAsk({ kind: 'sessions', member })}
          />
        )}
        <MenuItem id="remove" label={team.remove()} onAction={() => onAsk({ kind: 'remove', member })} />
      </Menu>
    </Popover>
  );
}
