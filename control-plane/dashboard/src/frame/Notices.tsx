import { useSyncExternalStore } from 'react';
import { t } from '../messages/en';
import { Button } from '../ui/Button';
import { Banner } from '../ui/Feedback';
import styles from './Frame.module.css';
import { isOutdated, onOutdated } from './outdated';

/** What concerns every page: no connection, and a release that is newer than this page. */
export function Notices() {
  const isOnline = useSyncExternalStore(onConnection, () => navigator.onLine);
  const isOld = useSyncExternalStore(onOutdated, isOutdated);
  if (isOnline && !isOld) return null;
  return (
    <div className={`${styles.notice} stack close`}>
      {isOnline ? null : <Banner tone="warn">{t.frame.offline()}</Banner>}
      {isOld ? (
        <Banner tone="note" actions={<Button onPress={() => location.reload()}>{t.common.reload()}</Button>}>
          {t.page.stale()}
        </Banner>
      ) : null}
    </div>
  );
}

function onConnection(listener: () => void): () => void {
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}
