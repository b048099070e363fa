import { usePageTitle } from '../../ui/usePageTitle';
import { MfaCard } from './MfaCard';
import { account } from './messages';
import { SessionsCard } from './SessionsCard';

export function SecurityPage() {
  usePageTitle(account.security.title());
  return (
    <div className="page">
      <h1>{account.security.title()}</h1>
      <MfaCard />
      <SessionsCard />
    </div>
  );
}
