import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Refusal } from '../../api/refusal';
import { t } from '../../messages/en';
import { Radios } from '../../parts/Radios';
import { Button, buttonClass } from '../../ui/Button';
import { Dialog, DialogActions } from '../../ui/Dialog';
import { PasswordField } from '../../ui/Field';
import { ServerForm } from '../../ui/ServerForm';
import { say } from '../../ui/say';
import { webhooks as words } from './messages';
import { createWebhook } from './queries';
import { newSecret } from './secret';
import { type Edited, WebhookFields } from './WebhookFields';

const SIGNINGS = ['new', 'own', 'none'] as const;
type Signing = (typeof SIGNINGS)[number];

interface NewWebhookProps {
  /** Takes the generated secret, which is shown next; `null` without one. */
  onMade: (id: string, secret: string | null) => void;
  onClose: () => void;
}

export function NewWebhook({ onMade, onClose }: NewWebhookProps) {
  const client = useQueryClient();
  const [fields, setFields] = useState<Edited>({ name: '', url: '', format: 'json', events: ['*'] });
  const [chosen, setSigning] = useState<Signing | null>(null);
  const [own, setOwn] = useState('');
  // Chat tools check no signature.
  const signing = chosen ?? (fields.format === 'json' ? 'new' : 'none');

  async function submit(): Promise<Refusal | null> {
    if (fields.events === null) return { kind: 'invalid', field: null, message: words.chooseOne() };
    if (signing === 'own' && own === '') {
      return { kind: 'invalid', field: 'secret', message: words.secretMissing() };
    }
    const generated = signing === 'new' ? newSecret() : null;
    const secret = signing === 'own' ? own : generated;
    const answer = await createWebhook({ ...fields, events: fields.events }, secret);
    if (!answer.ok) return answer.refusal;
    say(words.created(answer.data.name));
    onMade(answer.data.id, generated);
    await client.invalidateQueries({ queryKey: ['webhooks', 'all'] });
    return null;
  }

  return (
    <Dialog title={words.create()} isOpen isWide onClose={onClose}>
      <ServerForm label={words.create()} onSubmit={submit} explain={explainPlan}>
        {({ isPending, isWaiting }) => (
          <>
            <WebhookFields fields={fields} onChange={setFields} />
            <Radios
              label={words.signing()}
              choices={SIGNINGS.map(id => ({
                id,
                label: words.signingChoice(id),
                hint: words.signingText(id),
              }))}
              value={signing}
              onChange={setSigning}
            />
            {signing === 'own' ? (
              <PasswordField
                name="secret"
                label={words.secret()}
                autoComplete="off"
                maxLength={255}
                value={own}
                onChange={setOwn}
              />
            ) : null}
            <DialogActions>
              <Button onPress={onClose}>{t.common.cancel()}</Button>
              <Button type="submit" look="primary" isPending={isPending} isDisabled={isWaiting}>
                {words.create()}
              </Button>
            </DialogActions>
          </>
        )}
      </ServerForm>
    </Dialog>
  );
}

/** The way out where the plan allows no more. */
function explainPlan(refusal: Refusal) {
  if (refusal.kind !== 'plan') return null;
  return {
    action: (
      <Link to="/settings/billing" className={buttonClass()}>
        {words.seePlans()}
      </Link>
    ),
  };
}
