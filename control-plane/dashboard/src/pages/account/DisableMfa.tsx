import { useState } from 'react';
import { api, outcome } from '../../api/client';
import type { Refusal } from '../../api/refusal';
import { t } from '../../messages/en';
import { Button } from '../../ui/Button';
import { Dialog, DialogActions } from '../../ui/Dialog';
import { PasswordField, TextField } from '../../ui/Field';
import { Select } from '../../ui/Select';
import { ServerForm } from '../../ui/ServerForm';
import { say } from '../../ui/say';
import { account } from './messages';

type Proof = 'password' | 'code';

/** Switching the second factor off takes the password or a code. */
export function DisableMfa({ onClose }: { onClose: () => void }) {
  const [proof, setProof] = useState<Proof>('password');

  async function submit(fields: Record<string, string>): Promise<Refusal | null> {
    const body =
      proof === 'password' ? { password: fields.password ?? '' } : { code: (fields.code ?? '').trim() };
    const answer = await outcome(api.POST('/v1/auth/mfa/disable', { body }));
    if (!answer.ok) return answer.refusal;
    say(account.security.disabled());
    onClose();
    return null;
  }

  function explain(refusal: Refusal) {
    if (refusal.kind === 'unauthenticated')
      return { field: 'password', text: account.security.wrongPassword() };
    return proof === 'code' && refusal.kind === 'invalid'
      ? { field: 'code', text: account.security.wrongProof() }
      : null;
  }

  return (
    <Dialog title={account.security.disableTitle()} isOpen onClose={onClose}>
      <p>{account.security.disableText()}</p>
      <Select
        label={account.security.proof()}
        choices={[
          { id: 'password', label: account.security.withPassword() },
          { id: 'code', label: account.security.withCode() },
        ]}
        value={proof}
        onChange={id => setProof(id as Proof)}
      />
      <ServerForm key={proof} label={account.security.disableTitle()} onSubmit={submit} explain={explain}>
        {({ isPending, isWaiting }) => (
          <>
            {proof === 'password' ? (
              <PasswordField
                name="password"
                label={account.security.withPassword()}
                isRequired
                autoComplete="current-password"
              />
            ) : (
              <TextField
                name="code"
                label={account.security.withCode()}
                isRequired
                autoComplete="one-time-code"
              />
            )}
            <DialogActions>
              <Button onPress={onClose}>{t.common.cancel()}</Button>
              <Button type="submit" look="danger" isPending={isPending} isDisabled={isWaiting}>
                {account.security.disable()}
              </Button>
            </DialogActions>
          </>
        )}
      </ServerForm>
    </Dialog>
  );
}
