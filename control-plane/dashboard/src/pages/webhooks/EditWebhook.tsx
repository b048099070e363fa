import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Refusal, Refused } from '../../api/refusal';
import { changedFields, mergeFields } from '../../diff/mergeFields';
import { isSame } from '../../flagState/isSame';
import { t } from '../../messages/en';
import { Conflicts } from '../../parts/Conflicts';
import { Button } from '../../ui/Button';
import { Dialog, DialogActions } from '../../ui/Dialog';
import { ServerForm } from '../../ui/ServerForm';
import { say } from '../../ui/say';
import { webhooks as words } from './messages';
import { type WebhookFields as Fields, updateWebhook, type Webhook, webhookQuery } from './queries';
import { type Edited, WebhookFields } from './WebhookFields';

interface EditWebhookProps {
  /** The version that is edited; it stays the same until it is saved. */
  stored: { data: Webhook; etag: string };
  onClose: () => void;
}

interface Other {
  mine: Edited;
  theirs: Fields;
  conflicts: (keyof Fields)[];
}

export function EditWebhook({ stored, onClose }: EditWebhookProps) {
  const client = useQueryClient();
  const { id } = stored.data;
  const [base, setBase] = useState(() => ({ etag: stored.etag, fields: fieldsOf(stored.data) }));
  const [fields, setFields] = useState<Edited>(base.fields);
  const [other, setOther] = useState<Other | null>(null);

  async function submit(): Promise<Refusal | null> {
    const { events } = fields;
    if (events === null) return { kind: 'invalid', field: null, message: words.chooseOne() };
    const answer = await updateWebhook(id, base.etag, changedFields(base.fields, { ...fields, events }));
    if (!answer.ok) return answer.refusal.kind === 'changed' ? merge({ ...fields, events }) : answer.refusal;
    say(words.saved(answer.data.name));
    onClose();
    await Promise.all([
      client.invalidateQueries({ queryKey: webhookQuery(id).queryKey }),
      client.invalidateQueries({ queryKey: ['webhooks', 'all'] }),
    ]);
    return null;
  }

  async function merge(mine: Fields): Promise<Refusal | null> {
    try {
      const now = await client.fetchQuery({ ...webhookQuery(id), staleTime: 0 });
      const theirs = fieldsOf(now.data);
      const { merged, conflicts } = mergeFields(base.fields, mine, theirs);
      setOther({ mine, theirs, conflicts });
      setBase({ etag: now.etag, fields: theirs });
      setFields(merged);
      return null;
    } catch (problem) {
      if (problem instanceof Refused) return problem.refusal;
      throw problem;
    }
  }

  return (
    <Dialog title={words.editTitle(stored.data.name)} isOpen isWide onClose={onClose}>
      <ServerForm label={words.editTitle(stored.data.name)} onSubmit={submit}>
        {({ isPending, isWaiting }) => (
          <>
            {other === null ? null : (
              <Conflicts
                conflicts={other.conflicts.map(field => ({
                  field,
                  mine: words.field(other.mine[field]),
                  theirs: words.field(other.theirs[field]),
                  chosen: isSame(fields[field], other.theirs[field]) ? 'theirs' : 'mine',
                }))}
                onChoose={(field, chosen) => {
                  const known = other.conflicts.find(candidate => candidate === field);
                  if (known !== undefined) setFields({ ...fields, [known]: other[chosen][known] });
                }}
              />
            )}
            <WebhookFields fields={fields} onChange={setFields} />
            <DialogActions>
              <Button onPress={onClose}>{t.common.cancel()}</Button>
              <Button type="submit" look="primary" isPending={isPending} isDisabled={isWaiting}>
                {words.save()}
              </Button>
            </DialogActions>
          </>
        )}
      </ServerForm>
    </Dialog>
  );
}

function fieldsOf({ name, url, events, format }: Webhook): Fields {
  return { name, url, events, format };
}
