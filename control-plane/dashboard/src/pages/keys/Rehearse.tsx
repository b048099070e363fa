import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../../api/refusal';
import { Radios } from '../../parts/Radios';
import { useSecondsLeft } from '../../session/countdown';
import { Button } from '../../ui/Button';
import { Banner } from '../../ui/Feedback';
import { FormDialog } from '../../ui/FormDialog';
import { refusalText } from '../../ui/refusalText';
import { Select } from '../../ui/Select';
import { say } from '../../ui/say';
import { apiKeys as words } from './messages';
import {
  type ApiKey,
  beginRehearsal,
  differingQuery,
  type Rehearsal,
  rehearsalQuery,
  stopRehearsal,
} from './queries';

const SECONDS = ['10', '30', '60'] as const;
const FAILURES = ['unavailable', 'silence'] as const;

interface Place {
  projectId: string;
  envId: string;
}

/** Asks before the requests of a key fail on purpose, with what is known to change. */
export function Rehearse({
  projectId,
  envId,
  apiKey,
  onClose,
}: Place & { apiKey: ApiKey; onClose: () => void }) {
  const client = useQueryClient();
  const differing = useQuery(differingQuery(projectId, envId));
  const [seconds, setSeconds] = useState<string>('30');
  const [failure, setFailure] = useState<(typeof FAILURES)[number]>('unavailable');

  async function submit(): Promise<Refusal | null> {
    const body = { api_key_id: apiKey.id, failure, seconds: Number(seconds) };
    const answer = await beginRehearsal(projectId, envId, body);
    await client.invalidateQueries({ queryKey: rehearsalQuery(projectId, envId).queryKey });
    if (!answer.ok) return answer.refusal;
    onClose();
    return null;
  }

  const flags = differing.data ?? [];
  return (
    <FormDialog
      title={words.rehearseTitle(apiKey.name)}
      submit={words.rehearseConfirm()}
      look="danger"
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{words.rehearseText()}</p>
      {differing.data === undefined ? null : flags.length === 0 ? (
        <p className="soft">{words.rehearseAgrees()}</p>
      ) : (
        <Banner tone="bad">{words.rehearseDiffers(flags.slice(0, 10).join(', '))}</Banner>
      )}
      <Select
        label={words.rehearseSeconds()}
        choices={SECONDS.map(id => ({ id, label: words.rehearseSecondsOf(id) }))}
        value={seconds}
        onChange={setSeconds}
      />
      <Radios
        label={words.rehearseFailure()}
        choices={FAILURES.map(id => ({ id, label: words.rehearseFailureOf(id) }))}
        value={failure}
        onChange={setFailure}
      />
    </FormDialog>
  );
}

interface RehearsingProps extends Place {
  rehearsal: Rehearsal;
  keys: readonly ApiKey[];
  mayStop: boolean;
}

/** Counts a rehearsal down, with the button that stops it. */
export function Rehearsing({ projectId, envId, rehearsal, keys, mayStop }: RehearsingProps) {
  const client = useQueryClient();
  const left = useSecondsLeft(rehearsal.stopped_at === null ? Date.parse(rehearsal.ends_at) : null);
  if (left === 0) return null;
  const name = keys.find(({ id }) => id === rehearsal.api_key_id)?.name ?? rehearsal.api_key_id;

  async function stop() {
    const answer = await stopRehearsal(projectId, envId);
    await client.invalidateQueries({ queryKey: rehearsalQuery(projectId, envId).queryKey });
    say(answer.ok ? words.rehearsingStopped() : refusalText(answer.refusal));
  }

  return (
    <Banner
      tone="warn"
      actions={
        <Button isDisabled={!mayStop} onPress={() => void stop()}>
          {words.rehearsingStop()}
        </Button>
      }
    >
      {words.rehearsing(name, left)}
    </Banner>
  );
}
