import { AccessTokens } from '../../accessTokens/AccessTokens';
import { useMe } from '../../session/me';
import { usePageTitle } from '../../ui/usePageTitle';
import { MfaCard } from './MfaCard';
import { account } from './messages';
import { SessionsCard } from './SessionsCard';

export function SecurityPage() {
  const { role } = useMe();
  usePageTitle(account.security.title());
  return (
    <div className="page">
      <h1>{account.security.title()}</h1>
      <MfaCard />
      <SessionsCard />
      <AccessTokens holder={null} role={role} mayChange />
    </div>
  );
}
