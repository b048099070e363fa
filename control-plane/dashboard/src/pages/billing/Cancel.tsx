import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, outcome } from '../../api/client';
import { Radios } from '../../parts/Radios';
import { subscriptionQuery } from '../../parts/subscription';
import { Button } from '../../ui/Button';
import { ConfirmDialog } from '../../ui/Dialog';
import { say, warn } from '../../ui/say';
import { gatewayText } from './gatewayText';
import { billing } from './messages';

interface CancelProps {
  periodEnd: string | null;
  /** It ends with its period already. */
  isEnding: boolean;
}

/** Ends the subscription, with its period or now. */
export function Cancel({ periodEnd, isEnding }: CancelProps) {
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [isPending, setPending] = useState(false);
  const [when, setWhen] = useState<'end' | 'now'>('end');
  const isAtEnd = !isEnding && when === 'end';

  async function cancel() {
    setPending(true);
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
      <Button onPress={() => setOpen(true)}>{isEnding ? billing.cancelNowAction() : billing.cancel()}</Button>
      <ConfirmDialog
        title={billing.cancelTitle()}
        confirm={isEnding ? billing.cancelNowAction() : billing.cancel()}
        isOpen={isOpen}
        isPending={isPending}
        onConfirm={() => void cancel()}
        onClose={() => setOpen(false)}
      >
        {isEnding ? (
          <p>{billing.cancelNowText()}</p>
        ) : (
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
        )}
        <p>{billing.cancelText()}</p>
      </ConfirmDialog>
    </>
  );
}
