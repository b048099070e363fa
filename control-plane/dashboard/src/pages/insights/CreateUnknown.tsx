import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { FlagType } from '../../api/model';
import type { Refusal } from '../../api/refusal';
import type { NamedProject } from '../../frame/project';
import { list } from '../../messages/format';
import { conflictAt } from '../../parts/keyConflict';
import { NameField } from '../../parts/NameField';
import { TextField } from '../../ui/Field';
import { FormDialog } from '../../ui/FormDialog';
import { Select } from '../../ui/Select';
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
    <FormDialog
      title={page.createOf(flagKey)}
      submit={page.create()}
      onSubmit={submit}
      explain={conflictAt('key')}
      onClose={onClose}
    >
      <p>{page.createText(list(environments))}</p>
      <TextField name="key" label={page.key()} isReadOnly value={flagKey} />
      <NameField value={name} onChange={setName} />
      <Select
        label={page.type()}
        description={page.typeText()}
        choices={TYPES.map(id => ({ id, label: page.typeName(id) }))}
        value={type}
        onChange={id => setType(TYPES.find(known => known === id) ?? 'boolean')}
      />
    </FormDialog>
  );
}
