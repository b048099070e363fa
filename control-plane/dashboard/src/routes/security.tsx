import styles from '../account/Facts.module.css';
import { MfaCard } from '../account/MfaCard';
import { SessionsCard } from '../account/SessionsCard';
import { account } from '../messages/account';
import { usePageTitle } from '../ui/usePageTitle';

export function SecurityPage() {
  usePageTitle(account.security.title());
  return (
    <div className={styles.page}>
      <h1>{account.security.title()}</h1>
      <MfaCard />
      <SessionsCard />
    </div>
  );
}
