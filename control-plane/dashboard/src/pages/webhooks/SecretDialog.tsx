import { useQueryClient } from '@tanstack/react-query';
import type { Refusal } from '../../api/refusal';
import { shared } from '../../parts/messages';
import { TypedConfirm } from '../../parts/TypedConfirm';
import { say } from '../../ui/say';
import { webhooks as words } from './messages';
import { updateWebhook, type Webhook, webhookQuery } from './queries';
import { newSecret } from './secret';

interface SecretDialogProps {
  stored: { data: Webhook; etag: string };
  isRemoved: boolean;
  /** Takes the new secret, which is shown next. */
  onMade: (secret: string) => void;
  onClose: () => void;
}

/** Replaces the secret, or removes it. */
export function SecretDialog({ stored, isRemoved, onMade, onClose }: SecretDialogProps) {
  const client = useQueryClient();
  const { id, has_secret } = stored.data;
  const isFirst = !isRemoved && !has_secret;

  async function replace(): Promise<Refusal | null> {
    const secret = isRemoved ? null : newSecret();
    const answer = await updateWebhook(id, stored.etag, { secret });
    await client.invalidateQueries({ queryKey: webhookQuery(id).queryKey });
    if (!answer.ok) return answer.refusal;
    if (secret === null) say(words.removed());
    else onMade(secret);
    return null;
  }

  return (
    <TypedConfirm
      title={isRemoved ? words.removeTitle() : isFirst ? words.addSecret() : words.replaceTitle()}
      confirm={isRemoved ? words.removeSecret() : isFirst ? words.addSecret() : words.replaceSecret()}
      typed={null}
      onConfirm={replace}
      onClose={onClose}
      explain={refusal => (refusal.kind === 'changed' ? { text: shared.changedBefore() } : null)}
    >
      <p>{isRemoved ? words.removeText() : isFirst ? words.addText() : words.replaceText()}</p>
    </TypedConfirm>
  );
}
