import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../../api/refusal';
import { TypedConfirm } from '../../parts/TypedConfirm';
import { refusalText } from '../../ui/refusalText';
import { Switch } from '../../ui/Switch';
import { say, warn } from '../../ui/say';
import { useOnline } from '../../ui/useOnline';
import { rules as words } from './messages';
import { requireProvider, settingsQuery } from './queries';

/** Whether passwords of members sign in. Requiring a provider ends sessions, so it is asked about; allowing passwords ends nothing. */
export function RulesCard({ isRequired, mayWrite }: { isRequired: boolean; mayWrite: boolean }) {
  const client = useQueryClient();
  const isOnline = useOnline();
  const [isAsked, setAsked] = useState(false);
  const [isPending, setPending] = useState(false);

  async function set(isOn: boolean): Promise<Refusal | null> {
    setPending(true);
    const answer = await requireProvider(isOn);
    await client.invalidateQueries({ queryKey: settingsQuery.queryKey });
    setPending(false);
    if (!answer.ok) return answer.refusal;
    say(isOn ? words.isOn() : words.isOff());
    return null;
  }

  async function allowPasswords() {
    const refusal = await set(false);
    if (refusal !== null) warn(refusalText(refusal));
  }

  return (
    <section className="card" aria-labelledby="rules">
      <h2 id="rules">{words.title()}</h2>
      <div>
        <Switch
          label={words.only()}
          isOn={isRequired}
          isDisabled={!mayWrite || !isOnline || isPending}
          onChange={isOn => (isOn ? setAsked(true) : void allowPasswords())}
        />
      </div>
      <p className="soft">{words.text()}</p>
      {isRequired ? null : <p className="soft">{words.before()}</p>}
      {isAsked ? (
        <TypedConfirm
          title={words.onTitle()}
          confirm={words.onConfirm()}
          typed={null}
          onConfirm={() => set(true)}
          onClose={() => setAsked(false)}
        >
          <p>{words.onText()}</p>
          <p>{words.text()}</p>
        </TypedConfirm>
      ) : null}
    </section>
  );
}
