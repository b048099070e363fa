import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../api/refusal';
import { t } from '../messages/en';
import { environments as words } from '../messages/environments';
import { sentence } from '../messages/format';
import { slugOf } from '../places/slug';
import { usageQuery } from '../projects/usage';
import { Button } from '../ui/Button';
import { Dialog, DialogActions } from '../ui/Dialog';
import { ServerForm } from '../ui/ServerForm';
import { say } from '../ui/say';
import { freeColor } from './colors';
import { EnvironmentFields } from './EnvironmentFields';
import { createEnvironment, type Environment } from './queries';

interface NewEnvironmentProps {
  projectId: string;
  existing: readonly Environment[];
  onClose: () => void;
}

/** The slug follows the name until somebody writes one. */
export default function NewEnvironment({ projectId, existing, onClose }: NewEnvironmentProps) {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [slug, setSlug] = useState<string | null>(null);
  const [color, setColor] = useState(() => freeColor(existing.map(environment => environment.color)));
  const fields = { name, slug: slug ?? slugOf(name), color };

  async function submit(): Promise<Refusal | null> {
    const answer = await createEnvironment(projectId, fields);
    if (!answer.ok) return answer.refusal;
    say(words.created(answer.data.name));
    onClose();
    await Promise.all([
      client.invalidateQueries({ queryKey: ['environments', projectId] }),
      client.invalidateQueries({ queryKey: ['overview', projectId] }),
      client.invalidateQueries({ queryKey: usageQuery.queryKey }),
    ]);
    return null;
  }

  return (
    <Dialog title={words.create()} isOpen onClose={onClose}>
      <ServerForm label={words.create()} onSubmit={submit} explain={atSlug}>
        {({ isPending, isWaiting }) => (
          <>
            <EnvironmentFields
              fields={fields}
              onChange={next => {
                if (next.name !== undefined) setName(next.name);
                if (next.slug !== undefined) setSlug(next.slug);
                if (next.color !== undefined) setColor(next.color);
              }}
            />
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

/** A conflict is always about the slug. */
export function atSlug(refusal: Refusal) {
  return refusal.kind === 'conflict' ? { field: 'slug', text: sentence(refusal.message) } : null;
}
