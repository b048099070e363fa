import { useNavigate } from '@tanstack/react-router';
import { Copy, History, OctagonX, SlidersHorizontal } from 'lucide-react';
import { useRef } from 'react';
import { Menu } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { askToKill } from '../../kill/asked';
import { mayKill } from '../../kill/mayKill';
import { useMe } from '../../session/me';
import { copyText } from '../../ui/copyText';
import { MenuItem } from '../../ui/Menu';
import menu from '../../ui/Menu.module.css';
import { flagsPage } from './messages';
import type { OverviewEnvironment, OverviewFlag } from './overview';
import { rowMenuWords } from './rowMenuMessages';

export interface RowMenuTarget {
  flag: OverviewFlag;
  /** The button that opened it, which gets the focus back. */
  button: HTMLElement;
}

interface RowMenuProps extends RowMenuTarget {
  projectId: string;
  environments: readonly OverviewEnvironment[];
  onClose: () => void;
}

/** Actions on a flag. There is one menu for the whole table, at the row that opened it. */
export default function RowMenu({ projectId, flag, environments, button, onClose }: RowMenuProps) {
  const me = useMe();
  const trigger = useRef<HTMLElement>(button);
  const navigate = useNavigate({ from: '/p/$project/flags' });
  const open = (tab?: 'history' | 'settings') =>
    void navigate({ to: '$key', params: { key: flag.key }, search: tab === undefined ? {} : { tab } });
  const killable = environments.filter(({ id }) => flag.states[id]?.enabled === true && mayKill(me, id));
  return (
    <Popover
      triggerRef={trigger}
      aria-label={flagsPage.menuOf(flag.key)}
      className={menu.popover}
      placement="bottom end"
      isOpen
      onOpenChange={isOpen => isOpen || onClose()}
    >
      <Menu className={menu.list} aria-label={flagsPage.menuOf(flag.key)} autoFocus="first" onClose={onClose}>
        <MenuItem
          id="open"
          label={rowMenuWords.openTargeting()}
          icon={<SlidersHorizontal size={16} aria-hidden />}
          onAction={() => open()}
        />
        <MenuItem
          id="copy"
          label={flagsPage.copyKey(flag.key)}
          icon={<Copy size={16} aria-hidden />}
          onAction={() => void copyText(flag.key, flagsPage.copied(flag.key))}
        />
        <MenuItem
          id="history"
          label={rowMenuWords.openHistory()}
          icon={<History size={16} aria-hidden />}
          onAction={() => open('history')}
        />
        {killable.map(environment => (
          <MenuItem
            key={environment.id}
            id={environment.id}
            label={rowMenuWords.kill(environment.name)}
            icon={<OctagonX size={16} aria-hidden />}
            onAction={() => askToKill({ projectId, flagKey: flag.key, environment })}
          />
        ))}
      </Menu>
    </Popover>
  );
}
