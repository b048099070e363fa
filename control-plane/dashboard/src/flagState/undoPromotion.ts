/** Brings back the states that promotions replaced. */
import { api, type Outcome, outcome } from '../api/client';
import { say, warn } from '../ui/say';
import type { Result } from './editFlags';
import { isMade } from './editFlags';
import { undoing } from './promotionMessages';

interface Environment {
  id: string;
  name: string;
}

/** A flag whose state in the target was replaced, and the version of the state that replaced it, as its `ETag` has it. */
export interface Promotion {
  key: string;
  version: number;
}

/** Those that a bulk edit made. `before` is the version of a flag's target where it is known: one that stays was not changed. */
export function promotionsOf(
  results: readonly Result[],
  before: (key: string) => number | undefined,
): Promotion[] {
  return results.flatMap(result => {
    const { key, version } = result;
    const isChanged = isMade(result) && version != null && version !== before(key);
    return isChanged ? [{ key, version }] : [];
  });
}

/** A message with Undo. `onUndone` comes after it, whatever became of it. */
export function sayPromoted(
  text: string,
  projectID: string,
  target: Environment,
  made: readonly Promotion[],
  onUndone: () => void,
): void {
  const run = () => void undoPromotions(projectID, target, made).then(onUndone);
  say(text, made.length === 0 ? undefined : { label: undoing.undo(), run });
}

/** Takes promotions back, one after another, and says what became of them. A state that changed since stays. */
export async function undoPromotions(
  projectID: string,
  target: Environment,
  made: readonly Promotion[],
): Promise<void> {
  const found = { undone: [] as string[], changed: [] as string[], failed: [] as string[] };
  for (const { key, version } of made) {
    const answer = await undoOne({ projectID, flagKey: key }, target.id, version);
    found[answer.ok ? 'undone' : answer.refusal.kind === 'changed' ? 'changed' : 'failed'].push(key);
  }
  if (found.undone.length > 0) say(undoing.undone(found.undone, target.name));
  if (found.changed.length > 0) warn(undoing.changed(found.changed, target.name));
  if (found.failed.length > 0) warn(undoing.failed(found.failed, target.name));
}

/** Versions that are looked through for the one before: the newest comes first. */
const LOOKED_THROUGH = 20;

async function undoOne(
  path: { projectID: string; flagKey: string },
  env_id: string,
  version: number,
): Promise<Outcome<unknown>> {
  const history = await outcome(
    api.GET('/v1/projects/{projectID}/flags/{flagKey}/history', {
      params: { path, query: { env_id, limit: LOOKED_THROUGH } },
    }),
  );
  if (!history.ok) return history;
  const { data, has_more } = history.data;
  const before = versionBefore(data, env_id, has_more);
  const headers = { 'if-match': `"${version}"` };
  if (before !== null) {
    const restored = await outcome(
      api.POST('/v1/projects/{projectID}/flags/{flagKey}/rollback', {
        params: { path, query: { wait: 'edges' } },
        headers,
        body: { env_id, version: before },
      }),
    );
    if (restored.ok || restored.refusal.kind !== 'absent') return restored;
  }
  return outcome(
    api.PUT('/v1/projects/{projectID}/flags/{flagKey}/environments/{envID}', {
      params: { path: { ...path, envID: env_id }, query: { wait: 'edges' } },
      headers,
      body: { enabled: false, default_value: null, rules: [], percentage_rollout: null, variants: [] },
    }),
  );
}

/**
 * The version before the last change in the environment, in a history that has the flag's own changes too; `null` where nothing was
 * stored there. Versions of a history are not those of an `ETag`. `isCut`: the history goes on.
 */
export function versionBefore(
  history: readonly { version: number; env_id: string | null }[],
  envId: string,
  isCut: boolean,
): number | null {
  const last = history.findIndex(({ env_id }) => env_id === envId);
  const older = last < 0 ? [] : history.slice(last + 1);
  const isStored = isCut || older.some(({ env_id }) => env_id === envId);
  return isStored ? (older[0]?.version ?? null) : null;
}
