import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, demand, type Outcome, outcome } from '../../../api/client';
import type { Flag } from '../../../api/model';

const FOUND = 20;

/** Members whose name or address fits; the first ones for an empty text. */
export function foundQuery(text: string) {
  return queryOptions({
    queryKey: ['team', 'found', text],
    queryFn: async ({ signal }) => {
      const query = { ...(text === '' ? {} : { q: text }), limit: FOUND };
      return (await demand(api.GET('/v1/team', { params: { query }, signal }))).data;
    },
    placeholderData: keepPreviousData,
  });
}

/** `me` is the caller, `null` nobody. */
export function setOwner(
  projectID: string,
  flagKey: string,
  etag: string,
  owner_id: string | null,
): Promise<Outcome<Flag>> {
  return outcome(
    api.PUT('/v1/projects/{projectID}/flags/{flagKey}', {
      params: { path: { projectID, flagKey } },
      headers: { 'if-match': etag },
      body: { owner_id },
    }),
  );
}
