import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import type { Refusal } from '../api/refusal';
import { t } from '../messages/en';
import { sentence } from '../messages/format';
import { places } from '../messages/places';
import { projects as words } from '../messages/projects';
import { MayNot, useMay } from '../places/MayNot';
import { PlanLimit, useProjectLimit } from '../places/PlanLimit';
import { slugOf } from '../places/slug';
import { meQuery } from '../session/me';
import { Button } from '../ui/Button';
import { Dialog, DialogActions } from '../ui/Dialog';
import { TextField } from '../ui/Field';
import { ServerForm } from '../ui/ServerForm';
import { say } from '../ui/say';
import { createProject } from './queries';
import { usageQuery } from './usage';

/** A new project has no environment, so that is where it leads to. */
export default function NewProject({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const router = useRouter();
  const [name, setName] = useState('');
  const [written, setWritten] = useState<string | null>(null);
  const slug = written ?? slugOf(name);
  const limit = useProjectLimit();
  const mayCreate = useMay('projects.create') && limit?.isReached !== true;

  async function submit(): Promise<Refusal | null> {
    const answer = await createProject({ name, slug });
    if (!answer.ok) return answer.refusal;
    await client.invalidateQueries({ queryKey: meQuery.queryKey });
    void client.invalidateQueries({ queryKey: usageQuery.queryKey });
    say(words.created(answer.data.name));
    onClose();
    void router.navigate({ to: '/p/$project/environments', params: { project: answer.data.slug } });
    return null;
  }

  return (
    <Dialog title={words.create()} isOpen onClose={onClose}>
      <ServerForm label={words.create()} onSubmit={submit} explain={atSlug}>
        {({ isPending, isWaiting }) => (
          <>
            <p className="soft">{words.createText()}</p>
            <MayNot permit="projects.create" />
            <PlanLimit limit={limit} what="projects" />
            <TextField
              name="name"
              label={places.name()}
              isRequired
              autoFocus
              autoComplete="off"
              maxLength={255}
              value={name}
              onChange={setName}
            />
            <TextField
              name="slug"
              label={places.slug()}
              description={words.slugText()}
              isRequired
              autoComplete="off"
              spellCheck="false"
              maxLength={100}
              value={slug}
              onChange={setWritten}
            />
            <DialogActions>
              <Button onPress={onClose}>{t.common.cancel()}</Button>
              <Button type="submit" look="primary" isPending={isPending} isDisabled={isWaiting || !mayCreate}>
                {words.create()}
              </Button>
            </DialogActions>
          </>
        )}
      </ServerForm>
    </Dialog>
  );
}

/** A conflict is always about the slug. */
export function atSlug(refusal: Refusal) {
  return refusal.kind === 'conflict' ? { field: 'slug', text: sentence(refusal.message) } : null;
}
