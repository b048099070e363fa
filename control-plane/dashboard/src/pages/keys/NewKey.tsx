import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../../api/refusal';
import { NameField } from '../../parts/NameField';
import { Radios } from '../../parts/Radios';
import { TextField } from '../../ui/Field';
import { FormDialog } from '../../ui/FormDialog';
import { Select } from '../../ui/Select';
import { daysOf } from './lifetime';
import { apiKeys as words } from './messages';
import { createKey, type KeyType, keysQuery, TYPES } from './queries';

const EXPIRIES = ['never', '30', '90', '365', 'other'] as const;

interface NewKeyProps {
  envId: string;
  /** Takes the text of the key, which is shown next. */
  onMade: (text: string) => void;
  onClose: () => void;
}

export function NewKey({ envId, onMade, onClose }: NewKeyProps) {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [type, setType] = useState<KeyType>('server');
  const [expiry, setExpiry] = useState<string>('never');
  const [days, setDays] = useState('180');
  const chosen = expiry === 'never' ? null : daysOf(expiry === 'other' ? days : expiry);

  async function submit(): Promise<Refusal | null> {
    if (chosen === undefined) {
      return { kind: 'invalid', field: 'expires_in_days', message: words.daysWrong() };
    }
    const answer = await createKey(envId, { name, type, expires_in_days: chosen });
    if (!answer.ok) return answer.refusal;
    onMade(answer.data);
    await client.invalidateQueries({ queryKey: keysQuery(envId).queryKey });
    return null;
  }

  return (
    <FormDialog title={words.makeTitle()} submit={words.make()} onSubmit={submit} onClose={onClose}>
      <NameField description={words.nameText()} value={name} onChange={setName} />
      <Radios
        label={words.type()}
        choices={TYPES.map(id => ({ id, label: words.typeName(id), hint: words.typeText(id) }))}
        value={type}
        onChange={setType}
      />
      <Select
        label={words.expiry()}
        choices={EXPIRIES.map(id => ({ id, label: words.expiryChoice(id) }))}
        value={expiry}
        onChange={setExpiry}
      />
      {expiry === 'other' ? (
        <TextField
          name="expires_in_days"
          label={words.days()}
          description={words.daysText()}
          inputMode="numeric"
          autoComplete="off"
          value={days}
          onChange={setDays}
        />
      ) : null}
    </FormDialog>
  );
}
