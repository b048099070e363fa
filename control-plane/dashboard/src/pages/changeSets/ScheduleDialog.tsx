import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../../api/refusal';
import type { Stored } from '../../changeSets/queries';
import { t } from '../../messages/en';
import { TimeField } from '../../schedule/TimeField';
import { ZoneField } from '../../schedule/ZoneField';
import { localZone } from '../../schedule/zones';
import { Button } from '../../ui/Button';
import { Dialog, DialogActions } from '../../ui/Dialog';
import { ServerForm } from '../../ui/ServerForm';
import { say } from '../../ui/say';
import { deedWords } from './messages';
import { apply } from './queries';

interface ScheduleDialogProps {
  stored: Stored;
  onClose: () => void;
}

/** Has a change set applied at a time. */
export default function ScheduleDialog({ stored, onClose }: ScheduleDialogProps) {
  const client = useQueryClient();
  const [zone, setZone] = useState(localZone);
  const [at, setAt] = useState<string | null>(stored.data.apply_at);

  async function schedule(): Promise<Refusal | null> {
    if (at === null) return null;
    const answer = await apply(stored, { at });
    await client.invalidateQueries({ queryKey: ['change-sets', stored.data.project_id] });
    if (!answer.ok) return answer.refusal;
    say(deedWords.schedule.done);
    onClose();
    return null;
  }

  return (
    <Dialog title={deedWords.schedule.title} isOpen onClose={onClose}>
      <ServerForm label={deedWords.schedule.title} onSubmit={schedule}>
        {({ isPending, isWaiting }) => (
          <>
            <p className="soft">{deedWords.atText()}</p>
            <ZoneField zone={zone} onChange={setZone} />
            <TimeField
              label={deedWords.at()}
              zone={zone}
              value={at}
              past={deedWords.atPast()}
              onChange={setAt}
            />
            <DialogActions>
              <Button onPress={onClose}>{t.common.cancel()}</Button>
              <Button
                type="submit"
                look="primary"
                isPending={isPending}
                isDisabled={isWaiting || at === null}
              >
                {deedWords.scheduleAt()}
              </Button>
            </DialogActions>
          </>
        )}
      </ServerForm>
    </Dialog>
  );
}
