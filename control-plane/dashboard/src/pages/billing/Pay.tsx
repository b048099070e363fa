import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, outcome } from '../../api/client';
import type { Refusal } from '../../api/refusal';
import { Radios } from '../../parts/Radios';
import { type Subscription, subscriptionQuery } from '../../parts/subscription';
import { Button } from '../../ui/Button';
import { warn } from '../../ui/say';
import { useOnline } from '../../ui/useOnline';
import { Cancel } from './Cancel';
import { gatewayText } from './gatewayText';
import { goToCheckout } from './goToCheckout';
import { billing } from './messages';
import { type Gateway, pricingQuery } from './queries';
import { type Checkout, checkoutOf } from './standing';

const GATEWAYS: readonly Gateway[] = ['gateway_redirect', 'gateway_form'];

/** What an owner can do about the subscription. */
export function Pay({ subscription }: { subscription: Subscription }) {
  const { status, can_manage, cancel_at_period_end, current_period_end, gateway } = subscription;
  const isOver = status === 'canceled' || status === 'none';
  const checkout = checkoutOf(subscription);
  return (
    <div className="stack">
      {can_manage && !isOver ? (
        <div className="row">
          <OpenPortal />
          <Cancel periodEnd={current_period_end} isEnding={cancel_at_period_end} />
        </div>
      ) : null}
      {checkout === null || (can_manage && checkout === 'overdue') ? null : (
        <CheckOut why={checkout} gateway={gateway} />
      )}
    </div>
  );
}

interface CheckOutProps {
  why: Exclude<Checkout, null>;
  gateway: Gateway;
}

function CheckOut({ why, gateway }: CheckOutProps) {
  const client = useQueryClient();
  const { data } = useQuery(pricingQuery);
  const isOnline = useOnline();
  const [chosen, setChosen] = useState(gateway);
  const [isPending, setPending] = useState(false);
  const pro = data?.plans.pro;

  async function checkOut() {
    setPending(true);
    if (chosen !== gateway) {
      const answer = await outcome(api.PUT('/v1/billing/gateway', { body: { gateway: chosen } }));
      if (!answer.ok) return fail(answer.refusal);
    }
    const answer = await outcome(api.POST('/v1/billing/checkout'));
    if (answer.ok) return goToCheckout(answer.data);
    fail(answer.refusal);
    await client.invalidateQueries({ queryKey: subscriptionQuery.queryKey });
  }

  function fail(refusal: Refusal) {
    setPending(false);
    warn(gatewayText(refusal));
  }

  return (
    <>
      {pro?.billing_period === undefined ? null : (
        <p>{billing.offer(pro.display_price, pro.billing_period)}</p>
      )}
      <Radios<Gateway>
        label={billing.gateway()}
        choices={GATEWAYS.map(id => ({ id, label: billing.gatewayName(id), hint: billing.gatewayText(id) }))}
        value={chosen}
        onChange={setChosen}
        isDisabled={isPending}
      />
      <div className="stack close">
        <div>
          <Button look="primary" isPending={isPending} isDisabled={!isOnline} onPress={() => void checkOut()}>
            {billing.pay(why)}
          </Button>
        </div>
        <p className="soft small">{billing.leaving()}</p>
      </div>
    </>
  );
}

function OpenPortal() {
  const [isPending, setPending] = useState(false);

  async function open() {
    setPending(true);
    const answer = await outcome(api.POST('/v1/billing/portal'));
    if (answer.ok) {
      window.location.assign(answer.data.url);
      return;
    }
    setPending(false);
    warn(gatewayText(answer.refusal));
  }

  return (
    <Button isPending={isPending} onPress={() => void open()}>
      {billing.portal()}
    </Button>
  );
}
