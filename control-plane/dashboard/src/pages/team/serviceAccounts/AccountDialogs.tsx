import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../../../api/refusal';
import { roleName } from '../../../parts/messages';
import { NameField } from '../../../parts/NameField';
import { Radios } from '../../../parts/Radios';
import { TypedConfirm } from '../../../parts/TypedConfirm';
import { useMe } from '../../../session/me';
import { FormDialog } from '../../../ui/FormDialog';
import { say } from '../../../ui/say';
import { team } from '../messages';
import { ROLES, type Role } from '../queries';
import { rolesToGive } from '../rules';
import { serviceAccounts as words } from './messages';
import { accountsQuery, createAccount, deleteAccount, renameAccount, type ServiceAccount } from './queries';

interface NewAccountProps {
  /** Takes the id of the account, which is opened next. */
  onMade: (id: string) => void;
  onClose: () => void;
}

export function NewAccount({ onMade, onClose }: NewAccountProps) {
  const client = useQueryClient();
  const me = useMe();
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('developer');

  async function submit(): Promise<Refusal | null> {
    const answer = await createAccount(name.trim(), role);
    if (!answer.ok) return answer.refusal;
    await client.invalidateQueries({ queryKey: accountsQuery.queryKey });
    say(words.made(answer.data.name));
    onMade(answer.data.id);
    return null;
  }

  return (
    <FormDialog title={words.create()} submit={words.make()} onSubmit={submit} onClose={onClose}>
      <NameField description={words.nameText()} value={name} onChange={setName} />
      <Radios
        label={words.role()}
        choices={rolesToGive(me, ROLES).map(id => ({
          id,
          label: roleName(id),
          hint: team.roleText(id),
        }))}
        value={role}
        onChange={setRole}
      />
    </FormDialog>
  );
}

interface AccountDialogProps {
  account: ServiceAccount;
  onClose: () => void;
}

export function RenameAccount({ account, onClose }: AccountDialogProps) {
  const client = useQueryClient();
  const [name, setName] = useState(account.name);
  const title = words.renameTitle(account.name);

  async function submit(): Promise<Refusal | null> {
    const answer = await renameAccount(account.id, name.trim());
    if (!answer.ok) return answer.refusal;
    say(words.renamed(name.trim()));
    onClose();
    await client.invalidateQueries({ queryKey: accountsQuery.queryKey });
    return null;
  }

  return (
    <FormDialog title={title} submit={words.rename()} onSubmit={submit} onClose={onClose}>
      <NameField description={words.nameText()} value={name} onChange={setName} />
    </FormDialog>
  );
}

export function DeleteAccount({
  account,
  onDeleted,
  onClose,
}: AccountDialogProps & { onDeleted: () => void }) {
  const client = useQueryClient();

  async function remove(): Promise<Refusal | null> {
    const answer = await deleteAccount(account.id);
    if (!answer.ok && answer.refusal.kind !== 'absent') return answer.refusal;
    say(words.deleted(account.name));
    onDeleted();
    await client.invalidateQueries({ queryKey: accountsQuery.queryKey });
    return null;
  }

  return (
    <TypedConfirm
      title={words.deleteTitle(account.name)}
      confirm={words.deleteConfirm()}
      typed={account.name.trim()}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>{words.deleteText()}</p>
      <p className="soft">{words.deleteKept()}</p>
    </TypedConfirm>
  );
}
