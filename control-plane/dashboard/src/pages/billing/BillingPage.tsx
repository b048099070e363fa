import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type Subscription, subscriptionQuery } from '../../parts/subscription';
import { type Me, useMe } from '../../session/me';
import { Ask } from '../../team/Ask';
import { Banner } from '../../ui/Feedback';
import { PageLoading } from '../../ui/PageLoading';
import { useNow } from '../../ui/useNow';
import { usePageTitle } from '../../ui/usePageTitle';
import { billing } from './messages';
import { Pay } from './Pay';
import { Plans } from './Plans';
import { daysUntil } from './standing';
import { Usage } from './Usage';

const route = getRouteApi('/framed/settings/billing');

/** Where payment gateways and mail lead to. */
export function BillingPage() {
  usePageTitle(billing.title());
  const me = useMe();
  const { status } = route.useSearch();
  const { data, error } = useQuery({
    ...subscriptionQuery,
    // The gateway confirms a payment on its own way, which may take longer than the payer's.
    refetchInterval: ({ state }) => (status === 'success' && state.data?.status !== 'active' ? 5000 : false),
  });
  if (data === undefined) {
    return <PageLoading error={error} height="20rem" />;
  }
  return (
    <div className="page">
      <h1>{billing.title()}</h1>
      <Outcome status={status} isActive={data.status === 'active'} />
      <Plan me={me} subscription={data} />
      <Usage hasPro={data.plan !== 'free'} />
      <Plans plan={data.plan} />
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
  const now = useNow(60_000);
  const { plan, status, current_period_end, cancel_at_period_end, can_manage, gateway } = subscription;
  const trialEnd = plan === 'trial' ? me.organization.trial_expires_at : null;
  const isLive = status === 'active' || status === 'past_due';
  return (
    <section className="card" aria-labelledby="plan">
      <h2 id="plan">{billing.planTitle()}</h2>
      {status === 'past_due' ? (
        <Banner tone="warn">
          <p>{billing.overdue()}</p>
          <p>{can_manage ? billing.overdueManaged() : billing.overdueForm()}</p>
        </Banner>
      ) : null}
      {isLive && cancel_at_period_end && current_period_end !== null ? (
        <Banner tone="note">{billing.endsSoon(current_period_end)}</Banner>
      ) : null}
      <dl className="facts">
        <dt>{billing.plan()}</dt>
        <dd>{billing.planName(plan)}</dd>
        <dt>{billing.status()}</dt>
        <dd>{billing.statusName(status)}</dd>
        {isLive ? (
          <>
            <dt>{billing.paidVia()}</dt>
            <dd>{billing.gatewayName(gateway)}</dd>
          </>
        ) : null}
        {current_period_end === null || !isLive ? null : (
          <>
            <dt>
              {cancel_at_period_end
                ? billing.ends()
                : can_manage && status === 'active'
                  ? billing.renews()
                  : billing.paidUntil()}
            </dt>
            <dd>{billing.date(current_period_end)}</dd>
          </>
        )}
      </dl>
      {trialEnd === null ? null : (
        <div>
          <p>{billing.trial()}</p>
          <p>{billing.trialEnds(trialEnd, daysUntil(trialEnd, now))}</p>
          <p className="soft">{billing.afterTrial()}</p>
        </div>
      )}
      {isLive && gateway === 'gateway_form' && !can_manage ? (
        <p className="soft">{billing.oneMonth()}</p>
      ) : null}
      {plan === 'pro' && status === 'none' ? <p className="soft">{billing.given()}</p> : null}
      {me.permissions.includes('billing.manage') ? <Pay subscription={subscription} /> : <Ask who="owners" />}
    </section>
  );
}
