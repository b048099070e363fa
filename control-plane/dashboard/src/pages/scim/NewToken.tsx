import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../../api/refusal';
import { NameField } from '../../parts/NameField';
import { FormDialog } from '../../ui/FormDialog';
import { Select } from '../../ui/Select';
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
    <FormDialog title={words.makeTitle()} submit={words.make()} onSubmit={submit} onClose={onClose}>
      <NameField isRequired={false} description={words.nameText()} value={name} onChange={setName} />
      <Select
        label={words.expiry()}
        choices={EXPIRIES.map(id => ({ id, label: words.expiryChoice(id) }))}
        value={expiry}
        onChange={setExpiry}
      />
      <p className="soft small">{words.power()}</p>
    </FormDialog>
  );
}
