import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { shared } from '../../parts/messages';
import { Button } from '../../ui/Button';
import { refusalText } from '../../ui/refusalText';
import { say, warn } from '../../ui/say';
import { useOnline } from '../../ui/useOnline';
import { webhooks as words } from './messages';
import { updateWebhook, type Webhook, webhookQuery } from './queries';
import type { Open } from './WebhookPage';
import styles from './Webhooks.module.css';

interface ActionsProps {
  stored: { data: Webhook; etag: string };
  onOpen: (open: Open) => void;
}

export function Actions({ stored: { data: webhook, etag }, onOpen }: ActionsProps) {
  const client = useQueryClient();
  const isOnline = useOnline();
  const [isPending, setPending] = useState(false);

  async function pauseOrResume() {
    setPending(true);
    const answer = await updateWebhook(webhook.id, etag, { enabled: !webhook.enabled });
    await client.invalidateQueries({ queryKey: webhookQuery(webhook.id).queryKey });
    setPending(false);
    if (answer.ok) {
      say(answer.data.enabled ? words.isEnabled(webhook.name) : words.isPaused(webhook.name));
      await client.invalidateQueries({ queryKey: ['webhooks', 'all'] });
    } else {
      warn(answer.refusal.kind === 'changed' ? shared.changedBefore() : refusalText(answer.refusal));
    }
  }

  return (
    <div className={styles.actions}>
      <Button isPending={isPending} isDisabled={!isOnline} onPress={() => void pauseOrResume()}>
        {webhook.enabled ? words.pause() : words.resume()}
      </Button>
      <Button onPress={() => onOpen({ kind: 'edit' })}>{words.edit()}</Button>
      <Button onPress={() => onOpen({ kind: 'delete' })}>{words.delete()}</Button>
    </div>
  );
}
