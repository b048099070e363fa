import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../../api/refusal';
import { t } from '../../messages/en';
import { Button } from '../../ui/Button';
import { Dialog, DialogActions } from '../../ui/Dialog';
import { TextField } from '../../ui/Field';
import { Select } from '../../ui/Select';
import { ServerForm } from '../../ui/ServerForm';
import { scim as words } from './messages';
import { createToken, tokensQuery } from './queries';

const EXPIRIES = ['90', '180', '365', 'never'] as const;

interface NewTokenProps {
  /** Takes the text of the token, which is shown next. */
  onMade: (text: string) => void;
  onClose: () => void;
}

export function NewToken({ onMade, onClose }: NewTokenProps) {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [expiry, setExpiry] = useState<string>('365');

  async function submit(): Promise<Refusal | null> {
    const answer = await createToken(name.trim(), expiry === 'never' ? null : Number(expiry));
    if (!answer.ok) return answer.refusal;
    onMade(answer.data);
    await client.invalidateQueries({ queryKey: tokensQuery.queryKey });
    return null;
  }

  return (
    <Dialog title={words.makeTitle()} isOpen onClose={onClose}>
      <ServerForm label={words.makeTitle()} onSubmit={submit}>
        {({ isPending, isWaiting }) => (
          <>
            <TextField
              name="name"
              label={words.name()}
              description={words.nameText()}
              autoFocus
              autoComplete="off"
              value={name}
              onChange={setName}
            />
            <Select
              label={words.expiry()}
              choices={EXPIRIES.map(id => ({ id, label: words.expiryChoice(id) }))}
              value={expiry}
              onChange={setExpiry}
            />
            <p className="soft small">{words.power()}</p>
            <DialogActions>
              <Button onPress={onClose}>{t.common.cancel()}</Button>
              <Button type="submit" look="primary" isPending={isPending} isDisabled={isWaiting}>
                {words.make()}
              </Button>
            </DialogActions>
          </>
        )}
      </ServerForm>
    </Dialog>
  );
}
