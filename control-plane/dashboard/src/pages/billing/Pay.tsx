import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, outcome } from '../../api/client';
import { Button } from '../../ui/Button';
import { ConfirmDialog } from '../../ui/Dialog';
import { refusalText } from '../../ui/refusalText';
import { say, warn } from '../../ui/say';
import { goToCheckout } from './goToCheckout';
import { billing } from './messages';
import { pricingQuery, type Subscription, subscriptionQuery } from './queries';

/** What an owner can do about the subscription. */
export function Pay({ subscription }: { subscription: Subscription }) {
  const { plan, status, can_manage, cancel_at_period_end } = subscription;
  const isFree = plan === 'free' || plan === 'trial';
  const isOver = status === 'canceled' || status === 'none';
  return (
    <div className="stack">
      {isFree && isOver ? <CheckOut /> : null}
      {can_manage && !isOver ? (
        <div className="row">
          <OpenPortal />
          {cancel_at_period_end ? null : <Cancel />}
        </div>
      ) : null}
    </div>
  );
}

function CheckOut() {
  const { data } = useQuery(pricingQuery);
  const [isPending, setPending] = useState(false);
  const pro = data?.plans.pro;

  async function checkOut() {
    setPending(true);
    const answer = await outcome(api.POST('/v1/billing/checkout'));
    if (answer.ok) {
      goToCheckout(answer.data);
      return;
    }
    setPending(false);
    warn(refusalText(answer.refusal));
  }

  return (
    <>
      {pro?.billing_period === undefined ? null : (
        <p>{billing.offer(pro.display_price, pro.billing_period)}</p>
      )}
      <div>
        <Button look="primary" isPending={isPending} onPress={() => void checkOut()}>
          {billing.pay()}
        </Button>
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
    warn(refusalText(answer.refusal));
  }

  return (
    <Button isPending={isPending} onPress={() => void open()}>
      {billing.portal()}
    </Button>
  );
}

function Cancel() {
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [isPending, setPending] = useState(false);

  async function cancel() {
    setPending(true);
    const answer = await outcome(api.POST('/v1/billing/cancel', { body: { at_period_end: true } }));
    setPending(false);
    setOpen(false);
    if (answer.ok) say(billing.canceled());
    else warn(refusalText(answer.refusal));
    await client.invalidateQueries({ queryKey: subscriptionQuery.queryKey });
  }

  return (
    <>
      <Button onPress={() => setOpen(true)}>{billing.cancel()}</Button>
      <ConfirmDialog
        title={billing.cancelTitle()}
        confirm={billing.cancel()}
        isOpen={isOpen}
        isPending={isPending}
        onConfirm={() => void cancel()}
        onClose={() => setOpen(false)}
      >
        <p>{billing.cancelText()}</p>
      </ConfirmDialog>
    </>
  );
}
