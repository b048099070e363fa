import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Refusal } from '../../api/refusal';
import { shared } from '../../parts/messages';
import { TypedConfirm } from '../../parts/TypedConfirm';
import { say } from '../../ui/say';
import { webhooks as words } from './messages';
import { deleteWebhook, type Webhook, webhookQuery } from './queries';

interface DeleteWebhookProps {
  stored: { data: Webhook; etag: string };
  onGoing: (isGoing: boolean) => void;
  onClose: () => void;
}

export function DeleteWebhook({ stored: { data: webhook, etag }, onGoing, onClose }: DeleteWebhookProps) {
  const client = useQueryClient();
  const navigate = useNavigate();

  async function remove(): Promise<Refusal | null> {
    onGoing(true);
    const answer = await deleteWebhook(webhook.id, etag);
    if (!answer.ok) {
      onGoing(false);
      if (answer.refusal.kind === 'changed') {
        await client.invalidateQueries({ queryKey: webhookQuery(webhook.id).queryKey });
      }
      return answer.refusal;
    }
    say(words.deleted(webhook.name));
    await navigate({ to: '/webhooks' });
    await client.invalidateQueries({ queryKey: ['webhooks', 'all'] });
    return null;
  }

  return (
    <TypedConfirm
      title={words.deleteTitle(webhook.name)}
      confirm={words.deleteConfirm()}
      typed={null}
      onConfirm={remove}
      onClose={onClose}
      explain={refusal => (refusal.kind === 'changed' ? { text: shared.changedBefore() } : null)}
    >
      <p>{words.deleteText()}</p>
    </TypedConfirm>
  );
}
