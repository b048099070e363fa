import { useEffect, useState } from 'react';
import { t } from '../messages/open';
import { states } from '../messages/states';
import { Button } from '../ui/Button';
import { Banner } from '../ui/Feedback';
import { useOnline } from '../ui/useOnline';
import styles from './Frame.module.css';
import { useLive } from './Live';
import { useOutdated } from './outdated';
import { ServiceBar } from './ServiceBar';
import { useTrouble } from './useTrouble';

/** The stream may take this long at first, and after an interruption, before it is worth a word. */
const PATIENCE_MS = 5000;

/** Notices on every page: no answers, no stream, a release that is newer than this page. */
export function Notices() {
  const isOld = useOutdated();
  const trouble = useTrouble();
  return (
    <div className={`${styles.notice} stack close`}>
      <ServiceBar trouble={trouble} />
      {trouble === null ? <Polling /> : null}
      {isOld ? (
        <Banner tone="note" actions={<Button onPress={() => location.reload()}>{t.common.reload()}</Button>}>
          {t.page.stale()}
        </Banner>
      ) : null}
    </div>
  );
}

/** That changes by others appear late. Where nothing is answered at all, that is said instead. */
function Polling() {
  const isLive = useLive();
  const isOnline = useOnline();
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    setLong(false);
    if (isLive) return;
    const timer = setTimeout(() => setLong(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [isLive]);
  return isLong && !isLive && isOnline ? <Banner tone="note">{states.polling()}</Banner> : null;
}
