import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Outcome } from '../api/client';
import { type Refusal, Refused } from '../api/refusal';
import type { NamedProject } from '../frame/project';
import { t } from '../messages/en';
import { NameField } from '../parts/NameField';
import { Button } from '../ui/Button';
import { Dialog, DialogActions } from '../ui/Dialog';
import { Select } from '../ui/Select';
import { ServerForm } from '../ui/ServerForm';
import { say } from '../ui/say';
import { placeOf, type StateEdit, versionsOf, withState } from './drafting';
import { addWords } from './messages';
import {
  type ChangeSet,
  type Changes,
  createChangeSet,
  draftsQuery,
  readChangeSet,
  updateChangeSet,
} from './queries';

const NEW = '';

interface AddDialogProps {
  project: NamedProject;
  edit: StateEdit;
  /** The name of the environment. */
  environment: string;
  /** The version of the state that the draft was made from. */
  etag: string;
  onAdded: () => void;
  onClose: () => void;
}

/** Takes the draft of a state into a new change set, or into an open one. */
export default function AddDialog({ project, edit, environment, etag, onAdded, onClose }: AddDialogProps) {
  const client = useQueryClient();
  const drafts = useQuery(draftsQuery(project.id)).data ?? [];
  const [chosen, setChosen] = useState(NEW);

  async function add({ name = '' }: Record<string, string>): Promise<Refusal | null> {
    const answer =
      chosen === NEW
        ? await createWith(project.id, name, edit, etag)
        : await addTo(project.id, chosen, edit, etag);
    await client.invalidateQueries({ queryKey: ['change-sets', project.id] });
    if (!answer.ok) return answer.refusal;
    onAdded();
    say(addWords.added(answer.data.name), {
      label: addWords.open(),
      link: { to: '/p/$project/change-sets/$id', params: { project: project.slug, id: answer.data.id } },
    });
    return null;
  }

  const title = addWords.title(edit.flagKey, environment);
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <ServerForm label={title} onSubmit={add} explain={explain}>
        {({ isPending, isWaiting }) => (
          <>
            <p className="soft">{addWords.text()}</p>
            {drafts.length === 0 ? null : (
              <Select
                label={addWords.which()}
                choices={[
                  { id: NEW, label: addWords.anew() },
                  ...drafts.map(({ id, name }) => ({ id, label: name })),
                ]}
                value={chosen}
                onChange={setChosen}
              />
            )}
            {chosen === NEW ? <NameField description={addWords.nameText()} /> : null}
            <DialogActions>
              <Button onPress={onClose}>{t.common.cancel()}</Button>
              <Button type="submit" look="primary" isPending={isPending} isDisabled={isWaiting}>
                {addWords.add()}
              </Button>
            </DialogActions>
          </>
        )}
      </ServerForm>
    </Dialog>
  );
}

function explain({ kind }: Refusal): { text: string } | null {
  if (kind === 'conflict') return { text: addWords.moved() };
  return kind === 'changed' ? { text: addWords.edited() } : null;
}

/** The version of a state by its tag. */
const seen = (edit: StateEdit, etag: string) => ({
  [placeOf({ kind: 'state', key: edit.flagKey, env_slug: edit.envSlug })]: Number(etag.replaceAll('"', '')),
});

function createWith(projectId: string, name: string, edit: StateEdit, etag: string) {
  return createChangeSet(projectId, { name, changes: withState({}, edit), versions: seen(edit, etag) });
}

/** Adds to the draft as it is now. What it was compared with has to be there still, for this compares all of it anew. */
async function addTo(
  projectId: string,
  id: string,
  edit: StateEdit,
  etag: string,
): Promise<Outcome<ChangeSet>> {
  try {
    const stored = await readChangeSet(projectId, id);
    const { changes, parts } = stored.data;
    return await updateChangeSet(stored, {
      changes: withState((changes ?? {}) as Changes, edit),
      versions: { ...versionsOf(parts ?? []), ...seen(edit, etag) },
    });
  } catch (problem) {
    if (problem instanceof Refused) return { ok: false, refusal: problem.refusal };
    throw problem;
  }
}
