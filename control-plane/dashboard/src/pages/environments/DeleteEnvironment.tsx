import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../../api/refusal';
import { shared } from '../../parts/messages';
import { TypedConfirm } from '../../parts/TypedConfirm';
import { usageQuery } from '../../parts/usage';
import { Loading, Skeleton } from '../../ui/Feedback';
import { say } from '../../ui/say';
import { sortKeys } from '../keys/lifetime';
import { keysQuery } from '../keys/queries';
import styles from './Environments.module.css';
import { environments as words } from './messages';
import { deleteEnvironment, type Environment, environmentQuery, flagCountQuery } from './queries';

/** Names that are listed; the rest is counted. */
const MOST_NAMES = 5;

interface DeleteEnvironmentProps {
  projectId: string;
  environment: Environment;
  onClose: () => void;
}

export function DeleteEnvironment({ projectId, environment, onClose }: DeleteEnvironmentProps) {
  const client = useQueryClient();
  // The event of the deletion may come before its answer; the deleted environment is not requested again.
  const [isGoing, setGoing] = useState(false);
  const stored = useQuery({
    ...environmentQuery(projectId, environment.id),
    staleTime: 0,
    gcTime: 0,
    enabled: !isGoing,
  });
  const flags = useQuery(flagCountQuery(projectId));
  const keys = useQuery({ ...keysQuery(environment.id), enabled: !isGoing });
  const [now] = useState(() => Date.now());
  const shown = stored.data?.data ?? environment;

  async function remove(): Promise<Refusal | null> {
    if (stored.data === undefined) return null;
    setGoing(true);
    const answer = await deleteEnvironment(projectId, environment.id, stored.data.etag);
    if (!answer.ok) {
      setGoing(false);
      if (answer.refusal.kind === 'changed') await stored.refetch();
      return answer.refusal;
    }
    say(words.deleted(shown.name));
    await Promise.all([
      // The list alone: the environment of this dialog is gone.
      client.invalidateQueries({ queryKey: ['environments', projectId], exact: true }),
      client.invalidateQueries({ queryKey: ['overview', projectId] }),
      client.invalidateQueries({ queryKey: usageQuery.queryKey }),
    ]);
    return null;
  }

  const live = keys.data === undefined ? [] : sortKeys(keys.data.items, now).live;
  const used = live.filter(key => key.last_used_at !== null);
  return (
    <TypedConfirm
      title={words.deleteTitle(shown.name)}
      confirm={words.deleteConfirm()}
      typed={shown.slug}
      onConfirm={remove}
      onClose={onClose}
      explain={refusal => (refusal.kind === 'changed' ? { text: shared.changedBefore() } : null)}
    >
      <p>{words.deleteText()}</p>
      {flags.isPending || keys.isPending ? (
        <Loading>
          <Skeleton height="6rem" />
        </Loading>
      ) : (
        <ul className={styles.lost}>
          {flags.data === undefined ? null : <li>{words.lostStates(flags.data)}</li>}
          <li>
            {words.lostKeys(live.length, names(live.map(({ name }) => name)))}
            {used.length === 0 ? null : (
              <ul className={styles.lost}>
                {used.slice(0, MOST_NAMES).map(key => (
                  <li key={key.id}>{words.lastUsed(key.name, key.last_used_at ?? '', now)}</li>
                ))}
              </ul>
            )}
          </li>
        </ul>
      )}
    </TypedConfirm>
  );
}

function names(all: readonly string[]): string[] {
  if (all.length <= MOST_NAMES) return [...all];
  return [...all.slice(0, MOST_NAMES), words.more(all.length - MOST_NAMES)];
}
