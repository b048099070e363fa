import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../../api/refusal';
import { FormDialog } from '../../ui/FormDialog';
import { Select } from '../../ui/Select';
import { useNow } from '../../ui/useNow';
import { KeyUse } from './KeyUse';
import { graceEnd } from './lifetime';
import { apiKeys as words } from './messages';
import { type ApiKey, keysQuery, rotateKey } from './queries';

/** Hours for which the old key goes on. */
const GRACES = ['0', '1', '24', '168', '720'] as const;

interface RotateKeyProps {
  envId: string;
  apiKey: ApiKey;
  /** Takes the text of the new key, which is shown next. */
  onMade: (text: string) => void;
  onClose: () => void;
}

export function RotateKey({ envId, apiKey, onMade, onClose }: RotateKeyProps) {
  const client = useQueryClient();
  const now = useNow(10_000);
  const [hours, setHours] = useState<string>('24');

  async function submit(): Promise<Refusal | null> {
    const answer = await rotateKey(apiKey.id, Number(hours));
    if (!answer.ok) return answer.refusal;
    onMade(answer.data);
    await client.invalidateQueries({ queryKey: keysQuery(envId).queryKey });
    return null;
  }

  return (
    <FormDialog
      title={words.rotateTitle(apiKey.name)}
      submit={words.rotateConfirm()}
      look={hours === '0' ? 'danger' : 'primary'}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{words.rotateText()}</p>
      <KeyUse apiKey={apiKey} now={now} />
      <Select
        label={words.grace()}
        choices={GRACES.map(id => ({ id, label: words.graceChoice(id) }))}
        value={hours}
        onChange={setHours}
      />
      <p role="status">
        {hours === '0' ? words.graceNone() : words.graceEnds(graceEnd(apiKey, Number(hours), now))}
      </p>
    </FormDialog>
  );
}
