import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, outcome } from '../api/client';
import type { Refusal } from '../api/refusal';
import { useCurrentProject } from '../frame/project';
import { t } from '../messages/en';
import { sentence } from '../messages/format';
import { Button } from '../ui/Button';
import { Dialog, DialogActions } from '../ui/Dialog';
import { TextField } from '../ui/Field';
import { Select } from '../ui/Select';
import { ServerForm } from '../ui/ServerForm';
import { say } from '../ui/say';
import { keyOf, tagsOf } from './newFlag';
import { FLAG_TYPES } from './urlState';

interface NewFlagProps {
  projectId: string;
  onClose: () => void;
}

/** A flag starts switched off everywhere. Its key follows the name until somebody writes one. */
export default function NewFlag({ projectId, onClose }: NewFlagProps) {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [written, setWritten] = useState<string | null>(null);
  const [type, setType] = useState<(typeof FLAG_TYPES)[number]>('boolean');
  const key = written ?? keyOf(name);
  const slug = useCurrentProject()?.slug;

  async function submit(fields: Record<string, string>): Promise<Refusal | null> {
    const answer = await outcome(
      api.POST('/v1/projects/{projectID}/flags', {
        params: { path: { projectID: projectId } },
        body: { name, key, flag_type: type, tags: tagsOf(fields.tags ?? '') },
      }),
    );
    if (!answer.ok) return answer.refusal;
    say(t.flags.created(key));
    onClose();
    await client.invalidateQueries({ queryKey: ['overview', projectId] });
    return null;
  }

  function explain(refusal: Refusal) {
    if (refusal.kind !== 'conflict') return null;
    const existing =
      slug === undefined ? null : (
        <Link to="/p/$project/flags/$key" params={{ project: slug, key }} onClick={onClose}>
          {t.flags.openExisting(key)}
        </Link>
      );
    return { field: 'key', text: sentence(refusal.message), action: existing };
  }

  return (
    <Dialog title={t.flags.create()} isOpen onClose={onClose}>
      <ServerForm label={t.flags.create()} onSubmit={submit} explain={explain}>
        {({ isPending, isWaiting }) => (
          <>
            <TextField
              name="name"
              label={t.flags.name()}
              isRequired
              autoFocus
              autoComplete="off"
              maxLength={255}
              value={name}
              onChange={setName}
            />
            <TextField
              name="key"
              label={t.flags.key()}
              description={t.flags.keyText()}
              isRequired
              autoComplete="off"
              maxLength={255}
              value={key}
              onChange={setWritten}
            />
            <Select
              label={t.flags.type()}
              choices={FLAG_TYPES.map(id => ({ id, label: t.flags.typeName(id) }))}
              value={type}
              onChange={id => setType(FLAG_TYPES.find(known => known === id) ?? 'boolean')}
            />
            <TextField
              name="tags"
              label={t.flags.tags()}
              description={t.flags.tagsText()}
              autoComplete="off"
            />
            <DialogActions>
              <Button onPress={onClose}>{t.common.cancel()}</Button>
              <Button type="submit" look="primary" isPending={isPending} isDisabled={isWaiting}>
                {t.flags.create()}
              </Button>
            </DialogActions>
          </>
        )}
      </ServerForm>
    </Dialog>
  );
}
