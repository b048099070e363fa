import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../api/refusal';
import { roleName } from '../parts/messages';
import { NameField } from '../parts/NameField';
import { TextField } from '../ui/Field';
import { FormDialog } from '../ui/FormDialog';
import { Select } from '../ui/Select';
import { Check } from './Check';
import { endAfter, endOfDay } from './lifetime';
import { rolesUpTo } from './limits';
import { accessTokens as words } from './messages';
import { createToken, type Holder, type Role, tokensQuery } from './queries';
import { EVERYWHERE, type Scope, ScopeFields } from './ScopeFields';

const EXPIRIES = ['30', '90', '365', 'day'] as const;
const SAME = 'same';

interface NewTokenProps {
  holder: Holder;
  /** The holder's. */
  role: Role;
  /** Takes the text of the token, which is shown next. */
  onMade: (text: string) => void;
  onClose: () => void;
}

export function NewToken({ holder, role, onMade, onClose }: NewTokenProps) {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [expiry, setExpiry] = useState<string>('90');
  const [day, setDay] = useState('');
  const [most, setMost] = useState<string>(SAME);
  const [isReadOnly, setReadOnly] = useState(false);
  const [scope, setScope] = useState<Scope>(EVERYWHERE);
  const isOwn = holder === null;

  async function submit(): Promise<Refusal | null> {
    const now = Date.now();
    const end = expiry === 'day' ? endOfDay(day, now) : endAfter(Number(expiry), now);
    if (end === null) return { kind: 'invalid', field: 'expires_at', message: words.dayWrong() };
    const missing = missingIn(scope);
    if (missing !== null) return { kind: 'invalid', field: null, message: missing };
    const answer = await createToken(holder, {
      name: name.trim(),
      expires_at: end,
      role: most === SAME ? null : (most as Role),
      project_ids: scope.projects === null ? null : [...scope.projects],
      env_ids: scope.environments === null ? null : [...scope.environments],
      read_only: isReadOnly,
    });
    if (!answer.ok) return answer.refusal;
    onMade(answer.data);
    await client.invalidateQueries({ queryKey: tokensQuery(holder).queryKey });
    return null;
  }

  return (
    <FormDialog title={words.makeTitle()} submit={words.make()} onSubmit={submit} onClose={onClose}>
      <NameField description={words.nameText()} value={name} onChange={setName} />
      <Select
        label={words.expiry()}
        choices={EXPIRIES.map(id => ({ id, label: words.expiryChoice(id) }))}
        value={expiry}
        onChange={setExpiry}
      />
      {expiry === 'day' ? (
        <TextField name="expires_at" type="date" label={words.day()} value={day} onChange={setDay} />
      ) : null}
      <Select
        label={words.most()}
        description={isOwn ? words.mostText() : words.mostTextOfAccount()}
        choices={[
          { id: SAME, label: isOwn ? words.same() : words.sameAsAccount() },
          ...rolesUpTo(role).map(id => ({ id, label: roleName(id) })),
        ]}
        value={most}
        onChange={setMost}
      />
      <Check isOn={isReadOnly} onChange={setReadOnly}>
        {words.onlyReads()}
      </Check>
      <ScopeFields scope={scope} onChange={setScope} />
    </FormDialog>
  );
}

/** What is still to be chosen. */
function missingIn({ projects, environments }: Scope): string | null {
  if (projects?.length === 0) return words.noProject();
  return environments?.length === 0 ? words.noEnvironment() : null;
}
