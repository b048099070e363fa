import { useLocation } from '@tanstack/react-router';
import { Keyboard, Menu, Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { t } from '../messages/en';
import { Button, IconButton } from '../ui/Button';
import { useOnline } from '../ui/useOnline';
import { AccountMenu } from './AccountMenu';
import styles from './Frame.module.css';
import { useLateLive, useLive } from './Live';
import { useCurrentProject } from './project';
import { Drawer } from './Sidebar';

const PALETTE_KEY = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘K' : 'Ctrl K';

interface TopBarProps {
  /** There is no navigation beside the page: the bar opens it. */
  isCompact: boolean;
  onSearch: () => void;
  onKeys: () => void;
}

/** The one bar over each page. */
export function TopBar({ isCompact, onSearch, onKeys }: TopBarProps) {
  return (
    <header className={styles.top}>
      {isCompact ? <MenuButton /> : null}
      {isCompact ? (
        <IconButton label={t.frame.searchShort()} onPress={onSearch}>
          <Search size={20} aria-hidden />
        </IconButton>
      ) : (
        <Button onPress={onSearch} aria-keyshortcuts="Control+K Meta+K">
          <Search size={16} aria-hidden />
          <span className={styles.searchText}>{t.frame.searchShort()}</span>
          <kbd className={styles.searchKey} aria-hidden>
            {PALETTE_KEY}
          </kbd>
        </Button>
      )}
      <LiveDot />
      {isCompact ? null : (
        <IconButton label={t.frame.keys()} onPress={onKeys}>
          <Keyboard size={18} aria-hidden />
        </IconButton>
      )}
      <AccountMenu />
    </header>
  );
}

function MenuButton() {
  const project = useCurrentProject();
  const [isOpen, setOpen] = useState(false);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new address closes it
  useEffect(() => setOpen(false), [pathname]);
  return (
    <>
      <IconButton label={t.frame.openNavigation()} onPress={() => setOpen(true)}>
        <Menu size={20} aria-hidden />
      </IconButton>
      <span className={styles.place}>{project?.name ?? t.common.product()}</span>
      <Drawer isOpen={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}

function LiveDot() {
  const isOnline = useOnline();
  const isLive = useLive() && isOnline;
  const isLate = useLateLive() || !isOnline;
  return (
    <span
      className={styles.live}
      data-live={isLive}
      data-late={isLate || undefined}
      role="status"
      title={isLive ? t.frame.liveText() : t.frame.liveOffText()}
    >
      <span className={styles.liveDot} aria-hidden />
      {isLive ? t.frame.live() : t.frame.liveOff()}
    </span>
  );
}
