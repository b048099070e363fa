import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../../api/refusal';
import { type Stored, updateChangeSet } from '../../changeSets/queries';
import { t } from '../../messages/en';
import { EditField } from '../../parts/Fields';
import { NameField } from '../../parts/NameField';
import { Button } from '../../ui/Button';
import { Dialog, DialogActions } from '../../ui/Dialog';
import { ServerForm } from '../../ui/ServerForm';
import { say } from '../../ui/say';
import { deedWords } from './messages';

interface RenameDialogProps {
  stored: Stored;
  onClose: () => void;
}

/** What a change set is called, and what it is for. */
export default function RenameDialog({ stored, onClose }: RenameDialogProps) {
  const client = useQueryClient();
  const [name, setName] = useState(stored.data.name);
  const [description, setDescription] = useState(stored.data.description);

  async function save(): Promise<Refusal | null> {
    const answer = await updateChangeSet(stored, { name, description });
    await client.invalidateQueries({ queryKey: ['change-sets', stored.data.project_id] });
    if (!answer.ok) return answer.refusal;
    say(deedWords.rename.done);
    onClose();
    return null;
  }

  return (
    <Dialog title={deedWords.rename.title} isOpen onClose={onClose}>
      <ServerForm label={deedWords.rename.title} onSubmit={save}>
        {({ isPending, isWaiting }) => (
          <>
            <NameField value={name} onChange={setName} />
            <EditField isLong label={deedWords.description()} value={description} onChange={setDescription} />
            <DialogActions>
              <Button onPress={onClose}>{t.common.cancel()}</Button>
              <Button type="submit" look="primary" isPending={isPending} isDisabled={isWaiting}>
                {deedWords.save()}
              </Button>
            </DialogActions>
          </>
        )}
      </ServerForm>
    </Dialog>
  );
}
