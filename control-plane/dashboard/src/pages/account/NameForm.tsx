import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../../api/refusal';
import { meQuery } from '../../session/me';
import { Button } from '../../ui/Button';
import { TextField } from '../../ui/Field';
import { ServerForm } from '../../ui/ServerForm';
import { say } from '../../ui/say';
import styles from './Account.module.css';
import { account } from './messages';
import { rename } from './queries';

/** One's own name, in all organizations. */
export function NameForm({ name }: { name: string }) {
  const client = useQueryClient();
  const [typed, setTyped] = useState(name);

  async function submit(): Promise<Refusal | null> {
    const answer = await rename(typed.trim());
    if (!answer.ok) return answer.refusal;
    say(account.accountPage.nameSaved());
    await client.invalidateQueries({ queryKey: meQuery.queryKey });
    await client.invalidateQueries({ queryKey: ['team'] });
    return null;
  }

  return (
    <div className={styles.form}>
      <ServerForm label={account.accountPage.nameForm()} onSubmit={submit}>
        {({ isPending, isWaiting }) => (
          <>
            <TextField
              name="name"
              label={account.accountPage.name()}
              description={account.accountPage.nameText()}
              isRequired
              autoComplete="name"
              value={typed}
              onChange={setTyped}
            />
            <div>
              <Button type="submit" isPending={isPending} isDisabled={isWaiting || typed.trim() === name}>
                {account.accountPage.saveName()}
              </Button>
            </div>
          </>
        )}
      </ServerForm>
    </div>
  );
}
