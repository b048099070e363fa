import { api, outcome } from '../api/client';
import type { Refusal } from '../api/refusal';
import { names } from '../fleet/edges';
import { list } from '../messages/format';
import { refusalText } from '../ui/refusalText';
import { say, warn } from '../ui/say';
import { switching } from './messages';

interface SwitchOptions {
  /** Only what was on the screen is changed. */
  version?: number | undefined;
  /** Once it is stored, with its version then. */
  onStored?: (version: number) => void;
  /** After an undo, whatever became of it. */
  onUndone?: () => void;
}

/** Switches a flag in an environment and says when the edges serve it, or why not. What was said can undo it. */
export async function switchFlag(
  projectID: string,
  flagKey: string,
  environment: { id: string; name: string },
  enabled: boolean,
  { version, onStored, onUndone }: SwitchOptions = {},
): Promise<Refusal | null> {
  const answer = await outcome(
    api.PUT('/v1/projects/{projectID}/flags/{flagKey}/environments/{envID}', {
      params: { path: { projectID, flagKey, envID: environment.id }, query: { wait: 'edges' } },
      ...(version === undefined ? {} : { headers: { 'if-match': `"${version}"` } }),
      body: { enabled },
    }),
  );
  if (!answer.ok) {
    warn(
      answer.refusal.kind === 'changed'
        ? switching.changedMeanwhile(flagKey, environment.name)
        : switching.failed(flagKey, environment.name, refusalText(answer.refusal)),
    );
    return answer.refusal;
  }
  // An entity tag is the version in quotation marks.
  const now = Number(answer.response.headers.get('etag')?.slice(1, -1)) || undefined;
  if (now !== undefined) onStored?.(now);
  const lagging = names(answer.response.headers.get('x-edges-lagging'));
  const served = names(answer.response.headers.get('x-edges-acknowledged')).length;
  if (lagging.length > 0) {
    warn(switching.lagging(flagKey, environment.name, enabled, list(lagging)));
    return null;
  }
  const undo = async () => {
    await switchFlag(projectID, flagKey, environment, !enabled, { version: now });
    onUndone?.();
  };
  say(switching.served(flagKey, environment.name, enabled, served), {
    label: switching.undo(),
    run: () => void undo(),
  });
  return null;
}
