import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Refused } from '../../api/refusal';
import { usageQuery } from '../../parts/usage';
import { type Me, useMe } from '../../session/me';
import { Ask } from '../../team/Ask';
import { Banner, Loading, Skeleton } from '../../ui/Feedback';
import { RefusalPage } from '../../ui/RefusalPage';
import { usePageTitle } from '../../ui/usePageTitle';
import styles from './Billing.module.css';
import { billing } from './messages';
import { Pay } from './Pay';
import { type Subscription, subscriptionQuery } from './queries';

const route = getRouteApi('/framed/settings/billing');

/** Where payment gateways and mail lead to. */
export function BillingPage() {
  usePageTitle(billing.title());
  const me = useMe();
  const { status } = route.useSearch();
  const { data, error, refetch } = useQuery({
    ...subscriptionQuery,
    // The gateway confirms a payment on its own way, which may take longer than the payer's.
    refetchInterval: ({ state }) => (status === 'success' && state.data?.status !== 'active' ? 5000 : false),
  });
  if (data === undefined) {
    if (error instanceof Refused)
      return <RefusalPage refusal={error.refusal} onRetry={() => void refetch()} />;
    return (
      <Loading>
        <Skeleton height="20rem" />
      </Loading>
    );
  }
  return (
    <div className="page">
      <h1>{billing.title()}</h1>
      <Outcome status={status} isActive={data.status === 'active'} />
      <Plan me={me} subscription={data} />
      <Usage />
    </div>
  );
}

/** How the payment ended from which the payer returns. */
function Outcome({ status, isActive }: { status: 'success' | 'failed' | undefined; isActive: boolean }) {
  if (status === undefined) return null;
  if (status === 'failed') {
    return (
      <Banner tone="warn">
        <p>{billing.failed()}</p>
        <p>{billing.failedText()}</p>
      </Banner>
    );
  }
  if (isActive) return <Banner tone="good">{billing.paidActive()}</Banner>;
  return (
    <Banner tone="note">
      <p>{billing.paid()}</p>
      <p>{billing.paidText()}</p>
    </Banner>
  );
}

function Plan({ me, subscription }: { me: Me; subscription: Subscription }) {
  const { plan, status, current_period_end, cancel_at_period_end } = subscription;
  const trialEnd = plan === 'trial' ? me.organization.trial_expires_at : null;
  return (
    <section className="card" aria-labelledby="plan">
      <h2 id="plan">{billing.planTitle()}</h2>
      <dl className={styles.facts}>
        <dt>{billing.plan()}</dt>
        <dd>{trialEnd === null ? billing.planName(plan) : billing.trialEnds(trialEnd)}</dd>
        <dt>{billing.status()}</dt>
        <dd>{billing.statusName(status)}</dd>
        {current_period_end === null || status === 'canceled' || status === 'none' ? null : (
          <>
            <dt>{cancel_at_period_end ? billing.ends() : billing.renews()}</dt>
            <dd>{billing.date(current_period_end)}</dd>
          </>
        )}
      </dl>
      {me.permissions.includes('billing.manage') ? <Pay subscription={subscription} /> : <Ask who="owners" />}
    </section>
  );
}

function Usage() {
  const { data } = useQuery(usageQuery);
  return (
    <section className="card" aria-labelledby="usage">
      <h2 id="usage">{billing.usageTitle()}</h2>
      {data === undefined ? (
        <Skeleton height="6rem" />
      ) : (
        <dl className={styles.facts}>
          <dt>{billing.seats()}</dt>
          <dd>{billing.used(data.seats_used, data.seats_limit)}</dd>
          <dt>{billing.projects()}</dt>
          <dd>{billing.used(data.projects_used, data.projects_limit)}</dd>
          <dt>{billing.environments()}</dt>
          <dd>{billing.usedPerProject(data.environments_used, data.environments_limit)}</dd>
        </dl>
      )}
    </section>
  );
}
