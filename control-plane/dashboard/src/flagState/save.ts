import { api, type Outcome, outcome } from '../api/client';
import type { FlagState } from '../api/model';
import type { components } from '../api/schema';
import { waiting } from './comment';
import type { StatePatch } from './patch';

/** Where a state is. */
export interface StatePlace {
  projectID: string;
  flagKey: string;
  envID: string;
}

/** Writes a state that still has the version `etag`, and waits for the edges. */
export function saveState(
  path: StatePlace,
  etag: string,
  body: StatePatch,
  comment = '',
): Promise<Outcome<FlagState>> {
  return outcome(
    api.PUT('/v1/projects/{projectID}/flags/{flagKey}/environments/{envID}', {
      params: { path, query: waiting(comment) },
      headers: { 'if-match': etag },
      body,
    }),
  );
}

/** Requests approval of the change. */
export function requestApproval(
  flagId: string,
  envId: string,
  payload: StatePatch,
  note: string,
): Promise<Outcome<components['schemas']['Approval']>> {
  return outcome(
    api.POST('/v1/approvals', {
      body: { flag_id: flagId, env_id: envId, change_type: 'update_state', payload, note },
    }),
  );
}
