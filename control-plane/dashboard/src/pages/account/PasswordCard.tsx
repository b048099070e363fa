import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../../api/refusal';
import { NewPasswordField } from '../../parts/password/NewPasswordField';
import { useMe } from '../../session/me';
import { Button } from '../../ui/Button';
import { PasswordField } from '../../ui/Field';
import { ServerForm } from '../../ui/ServerForm';
import { say } from '../../ui/say';
import styles from './Account.module.css';
import { account } from './messages';
import { changePassword, sessionsQuery } from './queries';

/** Another password. It takes the current one, and ends all other sessions. */
export function PasswordCard() {
  const client = useQueryClient();
  const { user } = useMe();
  const [done, setDone] = useState(0);

  async function submit(fields: Record<string, string>): Promise<Refusal | null> {
    const answer = await changePassword(fields.current_password ?? '', fields.new_password ?? '');
    if (!answer.ok) return answer.refusal;
    say(account.password.changed());
    setDone(done + 1);
    await client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    return null;
  }

  return (
    <section className="card" aria-labelledby="password">
      <h2 id="password">{account.password.title()}</h2>
      <p className="soft">{account.password.text()}</p>
      <div className={styles.form}>
        {/* A new form after each change: nothing that was typed stays in the page. */}
        <ServerForm
          key={done}
          label={account.password.title()}
          onSubmit={submit}
          explain={refusal =>
            refusal.kind === 'unauthenticated'
              ? { field: 'current_password', text: account.password.wrong() }
              : null
          }
        >
          {({ isPending, isWaiting }) => (
            <>
              <input type="hidden" name="username" autoComplete="username" value={user.email} />
              <PasswordField
                name="current_password"
                label={account.password.current()}
                isRequired
                autoComplete="current-password"
              />
              <NewPasswordField
                name="new_password"
                label={account.password.next()}
                about={[user.name, user.email]}
              />
              <div>
                <Button type="submit" isPending={isPending} isDisabled={isWaiting}>
                  {account.password.change()}
                </Button>
              </div>
            </>
          )}
        </ServerForm>
      </div>
    </section>
  );
}
