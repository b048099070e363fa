import { queryOptions } from '@tanstack/react-query';
import { api, demand, type Outcome, outcome } from '../../../api/client';
import type { Flag, FlagState } from '../../../api/model';
import type { FlagFields } from '../../../diff/versions';
import { waiting } from '../../../flagState/comment';
import { isSame } from '../../../flagState/isSame';

/** Versions that are looked through for the last change of the flag's own fields. */
const LOOKED_THROUGH = 50;

/** Who changed the flag's own fields last; `null` where that is too long ago. */
export function lastOwnChangeQuery(projectID: string, flagKey: string, etag: string) {
  return queryOptions({
    queryKey: ['flag', projectID, flagKey, 'last-own-change', etag],
    queryFn: async ({ signal }) => {
      const { data } = await demand(
        api.GET('/v1/projects/{projectID}/flags/{flagKey}/history', {
          params: { path: { projectID, flagKey }, query: { limit: LOOKED_THROUGH } },
          signal,
        }),
      );
      return data.find(({ env_id }) => env_id === null) ?? null;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

interface Place {
  projectID: string;
  flagKey: string;
}

/** Writes the fields that differ; others may change the rest. */
export function saveFlag(
  path: Place,
  etag: string,
  base: FlagFields,
  mine: FlagFields,
  comment: string,
): Promise<Outcome<Flag>> {
  const fields = (Object.keys(mine) as (keyof FlagFields)[]).filter(
    field => !isSame(base[field], mine[field]),
  );
  return outcome(
    api.PUT('/v1/projects/{projectID}/flags/{flagKey}', {
      params: { path, query: waiting(comment) },
      headers: { 'if-match': etag },
      body: Object.fromEntries(fields.map(field => [field, mine[field]])),
    }),
  );
}

/** `etag` is that of the target's state. */
export function promote(
  path: Place,
  etag: string,
  source: string,
  target: string,
  variants: boolean,
  comment: string,
): Promise<Outcome<FlagState>> {
  return outcome(
    api.POST('/v1/projects/{projectID}/flags/{flagKey}/promote', {
      params: { path, query: waiting(comment) },
      headers: { 'if-match': etag },
      body: { source_env_id: source, target_env_id: target, variants },
    }),
  );
}
