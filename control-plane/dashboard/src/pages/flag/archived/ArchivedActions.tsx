import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../../../api/refusal';
import { refresh } from '../../../archive/queries';
import { TypedConfirm } from '../../../parts/TypedConfirm';
import { useMe } from '../../../session/me';
import { Button } from '../../../ui/Button';
import { say } from '../../../ui/say';
import { archived } from './messages';
import { deleteFlag, restoreFlag } from './queries';

interface ArchivedActionsProps {
  projectId: string;
  flagKey: string;
  /** The event of the deletion may come before its answer; the deleted flag is not requested again. */
  onGoing?: (isGoing: boolean) => void;
  onDeleted?: () => Promise<void>;
}

/** Restores an archived flag, or deletes it for good. */
export function ArchivedActions({ projectId, flagKey, onGoing, onDeleted }: ArchivedActionsProps) {
  const client = useQueryClient();
  const mayDelete = useMe().permissions.includes('flags.delete');
  const [asked, setAsked] = useState<'restore' | 'delete' | null>(null);
  const path = { projectID: projectId, flagKey };
  const close = () => setAsked(null);

  async function restore(comment: string): Promise<Refusal | null> {
    const answer = await restoreFlag(path, comment);
    if (!answer.ok) return answer.refusal;
    say(archived.restored(flagKey));
    void refresh(client, projectId);
    return null;
  }

  async function remove(comment: string): Promise<Refusal | null> {
    onGoing?.(true);
    const answer = await deleteFlag(path, comment);
    if (!answer.ok) {
      onGoing?.(false);
      return answer.refusal;
    }
    say(archived.deleted(flagKey));
    await onDeleted?.();
    client.removeQueries({ queryKey: ['flag', projectId, flagKey] });
    void refresh(client, projectId);
    return null;
  }

  if (!mayDelete) return <p className="soft">{archived.mayNot()}</p>;
  return (
    <div className="row">
      <Button aria-label={archived.restoreOf(flagKey)} onPress={() => setAsked('restore')}>
        {archived.restore()}
      </Button>
      <Button aria-label={archived.deleteOf(flagKey)} onPress={() => setAsked('delete')}>
        {archived.delete()}
      </Button>
      {asked === 'restore' ? (
        <TypedConfirm
          title={archived.restoreTitle(flagKey)}
          confirm={archived.restore()}
          isHarmless
          typed={null}
          hasComment
          onConfirm={restore}
          onClose={close}
        >
          <p>{archived.restoreText()}</p>
        </TypedConfirm>
      ) : null}
      {asked === 'delete' ? (
        <TypedConfirm
          title={archived.deleteTitle(flagKey)}
          confirm={archived.delete()}
          typed={flagKey}
          hasComment
          onConfirm={remove}
          onClose={close}
        >
          <p>{archived.deleteText()}</p>
        </TypedConfirm>
      ) : null}
    </div>
  );
}
