import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../../api/refusal';
import { conflictAt } from '../../parts/keyConflict';
import { useNewNames } from '../../parts/NameFields';
import { usageQuery } from '../../parts/usage';
import { FormDialog } from '../../ui/FormDialog';
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
    <FormDialog
      title={words.create()}
      submit={words.create()}
      onSubmit={submit}
      explain={conflictAt('slug')}
      onClose={onClose}
    >
      <EnvironmentFields
        fields={fields}
        onChange={next => {
          if (next.name !== undefined) names.onName(next.name);
          if (next.slug !== undefined) names.onHandle(next.slug);
          if (next.color !== undefined) setColor(next.color);
        }}
      />
    </FormDialog>
  );
}
