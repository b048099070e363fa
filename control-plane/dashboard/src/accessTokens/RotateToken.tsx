import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../api/refusal';
import { t } from '../messages/en';
import { Button } from '../ui/Button';
import { Dialog, DialogActions } from '../ui/Dialog';
import { Select } from '../ui/Select';
import { ServerForm } from '../ui/ServerForm';
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
    <Dialog title={words.rotateTitle(token.name)} isOpen onClose={onClose}>
      <ServerForm label={words.rotateTitle(token.name)} onSubmit={submit}>
        {({ isPending, isWaiting }) => (
          <>
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
            <DialogActions>
              <Button onPress={onClose}>{t.common.cancel()}</Button>
              <Button
                type="submit"
                look={hours === '0' ? 'danger' : 'primary'}
                isPending={isPending}
                isDisabled={isWaiting}
              >
                {words.rotateConfirm()}
              </Button>
            </DialogActions>
          </>
        )}
      </ServerForm>
    </Dialog>
  );
}
