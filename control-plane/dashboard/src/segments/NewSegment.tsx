import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import type { Refusal } from '../api/refusal';
import { keyOf } from '../flags/newFlag';
import type { NamedProject } from '../frame/project';
import { t } from '../messages/en';
import { sentence } from '../messages/format';
import { segments as words } from '../messages/segments';
import { Button } from '../ui/Button';
import { Dialog, DialogActions } from '../ui/Dialog';
import { TextField } from '../ui/Field';
import { ServerForm } from '../ui/ServerForm';
import { say } from '../ui/say';
import { createSegment } from './queries';

interface NewSegmentProps {
  project: NamedProject;
  onClose: () => void;
}

/** A segment starts without conditions, so that nobody is in it; its page is where they are written. */
export default function NewSegment({ project, onClose }: NewSegmentProps) {
  const client = useQueryClient();
  const router = useRouter();
  const [name, setName] = useState('');
  const [written, setWritten] = useState<string | null>(null);
  const key = written ?? keyOf(name);

  async function submit(fields: Record<string, string>): Promise<Refusal | null> {
    const answer = await createSegment(project.id, {
      key,
      name,
      description: fields.description ?? '',
      rules: [],
    });
    if (!answer.ok) return answer.refusal;
    say(words.created(key));
    onClose();
    void client.invalidateQueries({ queryKey: ['segments', project.id] });
    void router.navigate({ to: '/p/$project/segments/$key', params: { project: project.slug, key } });
    return null;
  }

  function explain(refusal: Refusal) {
    return refusal.kind === 'conflict' ? { field: 'key', text: sentence(refusal.message) } : null;
  }

  return (
    <Dialog title={words.create()} isOpen onClose={onClose}>
      <ServerForm label={words.create()} onSubmit={submit} explain={explain}>
        {({ isPending, isWaiting }) => (
          <>
            <TextField
              name="name"
              label={words.name()}
              isRequired
              autoFocus
              autoComplete="off"
              maxLength={255}
              value={name}
              onChange={setName}
            />
            <TextField
              name="key"
              label={words.key()}
              description={words.keyText()}
              isRequired
              autoComplete="off"
              spellCheck="false"
              maxLength={255}
              value={key}
              onChange={setWritten}
            />
            <TextField name="description" label={words.description()} autoComplete="off" maxLength={2000} />
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
