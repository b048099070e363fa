import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../../api/refusal';
import { t } from '../../messages/en';
import { conflictAt } from '../../parts/keyConflict';
import { useNewNames } from '../../parts/NameFields';
import { usageQuery } from '../../parts/usage';
import { Button } from '../../ui/Button';
import { Dialog, DialogActions } from '../../ui/Dialog';
import { ServerForm } from '../../ui/ServerForm';
import { say } from '../../ui/say';
import { freeColor } from './colors';
import { EnvironmentFields } from './EnvironmentFields';
import { environments as words } from './messages';
import { createEnvironment, type Environment } from './queries';

interface NewEnvironmentProps {
  projectId: string;
  existing: readonly Environment[];
  onClose: () => void;
}

export function NewEnvironment({ projectId, existing, onClose }: NewEnvironmentProps) {
  const client = useQueryClient();
  const names = useNewNames('slug');
  const [color, setColor] = useState(() => freeColor(existing.map(environment => environment.color)));
  const fields = { name: names.name, slug: names.handle, color };

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
      <ServerForm label={words.create()} onSubmit={submit} explain={conflictAt('slug')}>
        {({ isPending, isWaiting }) => (
          <>
            <EnvironmentFields
              fields={fields}
              onChange={next => {
                if (next.name !== undefined) names.onName(next.name);
                if (next.slug !== undefined) names.onHandle(next.slug);
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
