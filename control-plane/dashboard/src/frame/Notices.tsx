import { t } from '../messages/open';
import { states } from '../messages/states';
import { Button } from '../ui/Button';
import { Banner } from '../ui/Feedback';
import { useOnline } from '../ui/useOnline';
import styles from './Frame.module.css';
import { useLateLive } from './Live';
import { useOutdated } from './outdated';
import { ServiceBar } from './ServiceBar';
import { useTrouble } from './useTrouble';

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
          {t.page.staleLater()}
        </Banner>
      ) : null}
    </div>
  );
}

/** That changes by others appear late. Where nothing is answered at all, that is said instead. */
function Polling() {
  const isLate = useLateLive();
  const isOnline = useOnline();
  return isLate && isOnline ? <Banner tone="warn">{states.polling()}</Banner> : null;
}
