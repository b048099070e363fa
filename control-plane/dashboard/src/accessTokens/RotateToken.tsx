import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../api/refusal';
import { FormDialog } from '../ui/FormDialog';
import { Select } from '../ui/Select';
import { useNow } from '../ui/useNow';
import { overlapEnd } from './lifetime';
import { accessTokens as words } from './messages';
import { type AccessToken, rotateToken, tokensQuery } from './queries';

/** Hours for which the old token goes on. */
const OVERLAPS = ['0', '1', '24', '168'] as const;

interface RotateTokenProps {
  /** The id of the service account. */
  holder: string;
  token: AccessToken;
  /** Takes the text of the new token, which is shown next. */
  onMade: (text: string) => void;
  onClose: () => void;
}

export function RotateToken({ holder, token, onMade, onClose }: RotateTokenProps) {
  const client = useQueryClient();
  const now = useNow(10_000);
  const [hours, setHours] = useState<string>('24');

  async function submit(): Promise<Refusal | null> {
    const answer = await rotateToken(holder, token.id, Number(hours));
    if (!answer.ok) return answer.refusal;
    onMade(answer.data);
    await client.invalidateQueries({ queryKey: tokensQuery(holder).queryKey });
    return null;
  }

  return (
    <FormDialog
      title={words.rotateTitle(token.name)}
      submit={words.rotateConfirm()}
      look={hours === '0' ? 'danger' : 'primary'}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{words.rotateText()}</p>
      <Select
        label={words.overlap()}
        choices={OVERLAPS.map(id => ({ id, label: words.overlapChoice(id) }))}
        value={hours}
        onChange={setHours}
      />
      <p role="status">
        {hours === '0' ? words.overlapNone() : words.overlapEnds(overlapEnd(token, Number(hours), now))}
      </p>
    </FormDialog>
  );
}
