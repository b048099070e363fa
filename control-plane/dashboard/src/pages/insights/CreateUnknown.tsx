import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { FlagType } from '../../api/model';
import type { Refusal } from '../../api/refusal';
import type { NamedProject } from '../../frame/project';
import { t } from '../../messages/en';
import { list } from '../../messages/format';
import { conflictAt } from '../../parts/keyConflict';
import { Button } from '../../ui/Button';
import { Dialog, DialogActions } from '../../ui/Dialog';
import { TextField } from '../../ui/Field';
import { Select } from '../../ui/Select';
import { ServerForm } from '../../ui/ServerForm';
import { say } from '../../ui/say';
import { page } from './messages';
import { createFlag, refreshUnknown } from './queries';

const TYPES: readonly FlagType[] = ['boolean', 'string', 'number', 'json', 'ab'];

interface CreateUnknownProps {
  project: NamedProject;
  flagKey: string;
  /** Where apps ask for it. */
  environments: readonly string[];
  onClose: () => void;
}

/** A flag with the key that apps ask for. */
export function CreateUnknown({ project, flagKey, environments, onClose }: CreateUnknownProps) {
  const client = useQueryClient();
  const [name, setName] = useState(flagKey);
  const [type, setType] = useState<FlagType>('boolean');

  async function submit(): Promise<Refusal | null> {
    const answer = await createFlag(project.id, { key: flagKey, name, flag_type: type });
    if (!answer.ok) return answer.refusal;
    say(page.created(flagKey));
    onClose();
    await refreshUnknown(client, project.id);
    return null;
  }

  return (
    <Dialog title={page.createOf(flagKey)} isOpen onClose={onClose}>
      <ServerForm label={page.createOf(flagKey)} onSubmit={submit} explain={conflictAt('key')}>
        {({ isPending, isWaiting }) => (
          <>
            <p>{page.createText(list(environments))}</p>
            <TextField name="key" label={page.key()} isReadOnly value={flagKey} />
            <TextField
              name="name"
              label={page.name()}
              isRequired
              autoFocus
              autoComplete="off"
              maxLength={255}
              value={name}
              onChange={setName}
            />
            <Select
              label={page.type()}
              description={page.typeText()}
              choices={TYPES.map(id => ({ id, label: page.typeName(id) }))}
              value={type}
              onChange={id => setType(TYPES.find(known => known === id) ?? 'boolean')}
            />
            <DialogActions>
              <Button onPress={onClose}>{t.common.cancel()}</Button>
              <Button type="submit" look="primary" isPending={isPending} isDisabled={isWaiting}>
                {page.create()}
              </Button>
            </DialogActions>
          </>
        )}
      </ServerForm>
    </Dialog>
  );
}
