import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../api/refusal';
import { Wave } from '../fleet/Wave';
import { type Answer, readAnswer } from '../fleet/waves';
import { t } from '../messages/en';
import { useMe } from '../session/me';
import { Button } from '../ui/Button';
import { Dialog, DialogActions } from '../ui/Dialog';
import { Banner } from '../ui/Feedback';
import { refusalText } from '../ui/refusalText';
import { RequestId } from '../ui/ServerForm';
import type { Target } from './asked';
import { mayTurnOn } from './confirm';
import { KillQuestion } from './KillQuestion';
import { killing } from './messages';
import { kill, turnOn } from './queries';

/** A write under way or done: since when, and what it answered. */
interface Write {
  kind: 'kill' | 'restore';
  since: number;
  answer: Answer | null;
}

/** The button that had the focus is gone by now. */
function focus(element: HTMLElement | null): void {
  element?.focus();
}

/** Asks, kills, shows the wave, and turns on again. */
export function KillDialog({ target, onClose }: { target: Target; onClose: () => void }) {
  const { projectId, flagKey, environment } = target;
  const client = useQueryClient();
  const me = useMe();
  const [write, setWrite] = useState<Write | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  /** The version that the kill left, if the flag was on before it. */
  const [killedEtag, setKilledEtag] = useState<string | null>(null);
  const [wasOn, setWasOn] = useState(false);

  async function run(kind: Write['kind'], comment = '') {
    const before = write;
    setRefusal(null);
    setWrite({ kind, since: performance.now(), answer: null });
    const answer = kind === 'kill' ? await kill(target, comment) : await turnOn(target, killedEtag ?? '');
    if (answer.ok) {
      const read = readAnswer(answer.response.headers);
      setWrite(now => (now === null ? null : { ...now, answer: read }));
      setKilledEtag(kind === 'kill' ? answer.response.headers.get('etag') : null);
    } else {
      setRefusal(answer.refusal);
      setWrite(before);
    }
    void client.invalidateQueries({ queryKey: ['overview', projectId] });
    void client.invalidateQueries({ queryKey: ['flag', projectId, flagKey] });
  }

  const isRestorable = write?.kind === 'kill' && killedEtag !== null && mayTurnOn(me, environment.id, wasOn);
  const isUnderWay = write !== null && write.answer === null;
  return (
    <Dialog
      title={
        write === null || (write.kind === 'kill' && isUnderWay)
          ? killing.title(flagKey)
          : write.kind === 'kill'
            ? killing.killed(flagKey, environment.name)
            : killing.restoring(flagKey, environment.name)
      }
      isOpen
      isKept={isUnderWay}
      onClose={onClose}
    >
      {refusal === null ? null : (
        <Banner tone="bad">
          <p>{refusal.kind === 'changed' ? killing.changedSince() : refusalText(refusal)}</p>
          <RequestId refusal={refusal} />
        </Banner>
      )}
      {write === null ? (
        <KillQuestion
          target={target}
          onClose={onClose}
          onConfirm={(isOn, comment) => {
            setWasOn(isOn);
            void run('kill', comment);
          }}
        />
      ) : (
        <>
          <div ref={focus} tabIndex={-1}>
            <Wave
              key={write.kind}
              envId={environment.id}
              since={write.since}
              answer={write.answer}
              verb={write.kind === 'kill' ? 'off' : 'serving'}
            />
          </div>
          <DialogActions>
            {isRestorable ? <Button onPress={() => run('restore')}>{killing.restore()}</Button> : null}
            <Button look="primary" isDisabled={isUnderWay} onPress={onClose}>
              {t.common.close()}
            </Button>
          </DialogActions>
        </>
      )}
    </Dialog>
  );
}
