import { useNavigate } from '@tanstack/react-router';
import { History, OctagonX, SlidersHorizontal } from 'lucide-react';
import { useRef } from 'react';
import { Menu } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { askToKill } from '../../kill/asked';
import { MenuItem } from '../../ui/Menu';
import menu from '../../ui/Menu.module.css';
import { flagsPage } from './messages';
import type { OverviewEnvironment } from './overview';

export interface CellMenuTarget {
  flagKey: string;
  environment: OverviewEnvironment;
  /** The button that opened it, which gets the focus back. */
  button: HTMLElement;
}

interface CellMenuProps extends CellMenuTarget {
  projectId: string;
  mayKill: boolean;
  onClose: () => void;
}

/** Actions on a flag in an environment. There is one menu for the whole table, at the cell that opened it. */
export default function CellMenu({
  projectId,
  flagKey,
  environment,
  button,
  mayKill,
  onClose,
}: CellMenuProps) {
  const trigger = useRef<HTMLElement>(button);
  const navigate = useNavigate({ from: '/p/$project/flags' });
  const open = (tab?: 'history') =>
    void navigate({
      to: '$key',
      params: { key: flagKey },
      search: { env: environment.slug, ...(tab === undefined ? {} : { tab }) },
    });
  return (
    <Popover
      triggerRef={trigger}
      aria-label={flagsPage.menuOf(flagKey, environment.name)}
      className={menu.popover}
      placement="bottom end"
      isOpen
      onOpenChange={isOpen => isOpen || onClose()}
    >
      <Menu
        className={menu.list}
        aria-label={flagsPage.menuOf(flagKey, environment.name)}
        autoFocus="first"
        onClose={onClose}
      >
        <MenuItem
          id="open"
          label={flagsPage.openTargeting()}
          icon={<SlidersHorizontal size={16} aria-hidden />}
          onAction={() => open()}
        />
        <MenuItem
          id="history"
          label={flagsPage.openHistory()}
          icon={<History size={16} aria-hidden />}
          onAction={() => open('history')}
        />
        {mayKill ? (
          <MenuItem
            id="kill"
            label={flagsPage.kill()}
            icon={<OctagonX size={16} aria-hidden />}
            onAction={() => askToKill({ projectId, flagKey, environment })}
          />
        ) : null}
      </Menu>
    </Popover>
  );
}
