import styles from '../account/Facts.module.css';
import { MfaCard } from '../account/MfaCard';
import { SessionsCard } from '../account/SessionsCard';
import { t } from '../messages/en';
import { usePageTitle } from '../ui/usePageTitle';

export function SecurityPage() {
  usePageTitle(t.security.title());
  return (
    <div className={styles.page}>
      <h1>{t.security.title()}</h1>
      <MfaCard />
      <SessionsCard />
    </div>
  );
}
