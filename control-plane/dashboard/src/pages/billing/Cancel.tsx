import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, outcome } from '../../api/client';
import { Radios } from '../../parts/Radios';
import { Button } from '../../ui/Button';
import { ConfirmDialog } from '../../ui/Dialog';
import { say, warn } from '../../ui/say';
import { gatewayText } from './gatewayText';
import { billing } from './messages';
import { subscriptionQuery } from './queries';

/** Ends the subscription, with its period or now. */
export function Cancel({ periodEnd }: { periodEnd: string | null }) {
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [isPending, setPending] = useState(false);
  const [when, setWhen] = useState<'end' | 'now'>('end');

  async function cancel() {
    setPending(true);
    const isAtEnd = when === 'end';
    const answer = await outcome(api.POST('/v1/billing/cancel', { body: { at_period_end: isAtEnd } }));
    setPending(false);
    setOpen(false);
    if (answer.ok) say(isAtEnd ? billing.canceled() : billing.canceledNow());
    else warn(gatewayText(answer.refusal));
    await Promise.all([
      client.invalidateQueries({ queryKey: subscriptionQuery.queryKey }),
      client.invalidateQueries({ queryKey: ['usage'] }),
      client.invalidateQueries({ queryKey: ['me'] }),
    ]);
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
        <Radios
          label={billing.cancelWhen()}
          choices={[
            { id: 'end', label: billing.cancelAtEnd(), hint: billing.cancelAtEndText(periodEnd) },
            { id: 'now', label: billing.cancelNow(), hint: billing.cancelNowText() },
          ]}
          value={when}
          onChange={setWhen}
          isDisabled={isPending}
        />
        <p>{billing.cancelText()}</p>
      </ConfirmDialog>
    </>
  );
}
