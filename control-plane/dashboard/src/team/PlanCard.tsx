import { use } from 'react';
import { sentence } from '../messages/format';
import { MeContext } from '../session/me';
import { buttonClass } from '../ui/Button';
import { Ask } from './Ask';
import { asking } from './messages';
import { lacking } from './plan';

interface PlanCardProps {
  /** The service's sentence, such as `mfa requires the pro plan`, or a limit that is reached. */
  message: string;
  /** It stands for the whole page, whose title is then its own. */
  isPage?: boolean;
}

/** In place of what the plan does not have: what it does, which plan has it, and who can change that. */
export function PlanCard({ message, isPage = false }: PlanCardProps) {
  const me = use(MeContext);
  const missing = lacking(message);
  const title = missing === null ? asking.planTitle() : asking.feature(missing.feature);
  return (
    <section className="card">
      {isPage ? <h1>{title}</h1> : <h3>{title}</h3>}
      {missing === null ? <p>{sentence(message)}</p> : <p>{asking.featureText(missing.feature)}</p>}
      <p className="soft">{asking.plans(missing?.plan ?? null, me?.organization.plan ?? null)}</p>
      {me?.role === 'owner' ? (
        <>
          <p>{missing?.plan === 'enterprise' ? asking.upgradeByOperator() : asking.upgrade()}</p>
          <div>
            <a href="/settings/billing" className={buttonClass()}>
              {asking.seePlans()}
            </a>
          </div>
        </>
      ) : (
        <Ask who="owners" />
      )}
    </section>
  );
}
