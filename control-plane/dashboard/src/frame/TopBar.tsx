import { useQuery } from '@tanstack/react-query';
import { Keyboard, Search } from 'lucide-react';
import { t } from '../messages/en';
import { Button, IconButton } from '../ui/Button';
import { EnvironmentChip } from '../ui/Chip';
import { useOnline } from '../ui/useOnline';
import { AccountMenu } from './AccountMenu';
import { environmentsQuery } from './environments';
import styles from './Frame.module.css';
import { useLive, usePolling } from './Live';
import { useCurrentProject } from './project';

const PALETTE_KEY = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘K' : 'Ctrl K';

interface TopBarProps {
  onSearch: () => void;
  onKeys: () => void;
}

export function TopBar({ onSearch, onKeys }: TopBarProps) {
  return (
    <header className={styles.top}>
      <Environments />
      <Button look="secondary" onPress={onSearch} aria-keyshortcuts="Control+K Meta+K">
        <Search size={16} aria-hidden />
        <span>{t.frame.searchShort()}</span>
        <kbd className={styles.searchKey} aria-hidden>
          {PALETTE_KEY}
        </kbd>
      </Button>
      <LiveDot />
      <IconButton label={t.frame.keys()} onPress={onKeys}>
        <Keyboard size={18} aria-hidden />
      </IconButton>
      <AccountMenu />
    </header>
  );
}

function Environments() {
  const project = useCurrentProject();
  return (
    <div className={styles.environments}>
      {project === undefined ? null : <Chips projectId={project.id} />}
    </div>
  );
}

function Chips({ projectId }: { projectId: string }) {
  const { data } = useQuery({ ...environmentsQuery(projectId), refetchInterval: usePolling() });
  return (
    <ul className={styles.environments} aria-label={t.frame.environments()}>
      {data?.data.map(environment => (
        <li key={environment.id}>
          <EnvironmentChip name={environment.name} color={environment.color} />
        </li>
      ))}
    </ul>
  );
}

function LiveDot() {
  const isOnline = useOnline();
  const isLive = useLive() && isOnline;
  return (
    <span
      className={styles.live}
      data-live={isLive}
      role="status"
      title={isLive ? t.frame.liveText() : t.frame.liveOffText()}
    >
      <span className={styles.liveDot} aria-hidden />
      {isLive ? t.frame.live() : t.frame.liveOff()}
    </span>
  );
}
