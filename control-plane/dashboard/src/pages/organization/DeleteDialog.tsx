import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Refusal } from '../../api/refusal';
import { shared } from '../../parts/messages';
import { useMe } from '../../session/me';
import { end } from '../../session/session';
import { PasswordField, TextField } from '../../ui/Field';
import { FormDialog } from '../../ui/FormDialog';
import { deletion as words } from './messages';
import { deleteOrganization } from './queries';

/** Asks for the name and the password. The session is over afterwards. */
export function DeleteDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const navigate = useNavigate();
  const { user } = useMe();
  const [typed, setTyped] = useState('');
  const [password, setPassword] = useState('');

  async function submit(): Promise<Refusal | null> {
    const answer = await deleteOrganization(typed, password);
    if (!answer.ok) return answer.refusal;
    // The cookie and the other tabs.
    await end();
    await navigate({ to: '/login', search: { deleted: true }, replace: true });
    return null;
  }

  return (
    <FormDialog
      title={words.question(name)}
      submit={words.action()}
      look="danger"
      isReady={typed.trim() === name.trim() && password !== ''}
      onSubmit={submit}
      explain={refusal =>
        refusal.kind === 'unauthenticated' ? { field: 'password', text: words.wrongPassword() } : null
      }
      onClose={onClose}
    >
      <p>{words.forGood()}</p>
      <TextField
        name="name"
        label={shared.typeToConfirm(name)}
        autoComplete="off"
        spellCheck="false"
        autoFocus
        value={typed}
        onChange={setTyped}
      />
      <input type="hidden" name="username" autoComplete="username" value={user.email} />
      <PasswordField
        name="password"
        label={words.password()}
        isRequired
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
      />
    </FormDialog>
  );
}
