import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../ui/Button';
import { Optional } from '../../ui/Optional';
import { PartLoading } from '../../ui/PartLoading';
import { refusalText } from '../../ui/refusalText';
import { say, warn } from '../../ui/say';
import { useOnline } from '../../ui/useOnline';
import { DeliveryDialog } from './DeliveryDialog';
import { DeliveryTable } from './DeliveryTable';
import { webhooks as words } from './messages';
import { deliveriesQuery, redeliver, redeliverFailed, testWebhook, type Webhook } from './queries';
import { TestResult } from './TestResult';

const NONE: readonly string[] = [];

/** What was sent, with a test and repetitions. */
export function DeliveriesCard({ webhook, isGoing }: { webhook: Webhook; isGoing: boolean }) {
  const client = useQueryClient();
  const isOnline = useOnline();
  const list = useQuery({ ...deliveriesQuery(webhook.id), enabled: !isGoing });
  const [opened, setOpened] = useState<string | null>(null);
  const [pending, setPending] = useState<'test' | 'failed' | null>(null);
  /** The deliveries that were there when the test was asked for; its own comes after them. */
  const [before, setBefore] = useState<readonly string[] | null>(null);
  const deliveries = list.data?.data;
  const failed = (deliveries ?? []).filter(({ success }) => !success).length;
  const refresh = () => client.invalidateQueries({ queryKey: deliveriesQuery(webhook.id).queryKey });

  async function test() {
    setPending('test');
    const known = deliveries?.map(({ id }) => id) ?? NONE;
    const answer = await testWebhook(webhook.id);
    setPending(null);
    if (answer.ok) setBefore(known);
    else warn(refusalText(answer.refusal));
  }

  async function repeat(id: string) {
    const answer = await redeliver(webhook.id, id);
    if (answer.ok) say(words.queued());
    else warn(refusalText(answer.refusal));
    await refresh();
  }

  async function repeatFailed() {
    setPending('failed');
    const answer = await redeliverFailed(webhook.id);
    setPending(null);
    if (answer.ok) say(words.allQueued(answer.data));
    else warn(refusalText(answer.refusal));
    await refresh();
  }

  return (
    <section className="card" aria-labelledby="webhook-deliveries">
      <div className="row apart">
        <h2 id="webhook-deliveries">{words.deliveries()}</h2>
        <div className="row">
          {failed === 0 ? null : (
            <Button
              isPending={pending === 'failed'}
              isDisabled={!isOnline || !webhook.enabled}
              onPress={() => void repeatFailed()}
            >
              {words.allAgain(failed)}
            </Button>
          )}
          <Button
            look="primary"
            isPending={pending === 'test'}
            isDisabled={!isOnline || !webhook.enabled}
            onPress={() => void test()}
          >
            {words.test()}
          </Button>
        </div>
      </div>
      <p className="soft">{words.deliveriesLead()}</p>
      {before === null ? null : (
        <TestResult before={before} deliveries={deliveries ?? []} onOpen={setOpened} />
      )}
      {deliveries !== undefined ? (
        deliveries.length === 0 ? (
          <p>{words.noDeliveries()}</p>
        ) : (
          <DeliveryTable
            deliveries={deliveries}
            mayRepeat={isOnline && webhook.enabled}
            onOpen={setOpened}
            onRepeat={id => void repeat(id)}
          />
        )
      ) : (
        <PartLoading error={list.error} height="10rem" />
      )}
      <Optional onClose={() => setOpened(null)}>
        {opened === null ? null : (
          <DeliveryDialog
            webhookId={webhook.id}
            deliveryId={opened}
            mayRepeat={isOnline && webhook.enabled}
            onRepeat={id => void repeat(id)}
            onClose={() => setOpened(null)}
          />
        )}
      </Optional>
    </section>
  );
}
