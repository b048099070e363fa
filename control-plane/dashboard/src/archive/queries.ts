import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { api, demand, type Outcome, outcome } from '../api/client';
import { waiting } from '../flagState/comment';

interface Place {
  projectID: string;
  flagKey: string;
}

export function archiveFlag(path: Place, etag: string, comment: string): Promise<Outcome<unknown>> {
  return outcome(
    api.POST('/v1/projects/{projectID}/flags/{flagKey}/archive', {
      params: { path, query: waiting(comment) },
      headers: { 'if-match': etag },
    }),
  );
}

/** How many lines of code name the flag, as scans told it. */
export function referencedQuery(path: Place) {
  return queryOptions({
    queryKey: ['flag', path.projectID, path.flagKey, 'referenced'],
    queryFn: async ({ signal }) => {
      const { total } = await demand(
        api.GET('/v1/projects/{projectID}/flags/{flagKey}/references', {
          params: { path, query: { limit: 1 } },
          signal,
        }),
      );
      return total;
    },
  });
}

/**
 * Reads again what archiving and restoring change. The event may have begun to: browsers let a request wait for an aborted one of
 * the same address.
 */
export async function refresh(client: QueryClient, projectID: string): Promise<void> {
  await Promise.all(
    ['flag', 'overview'].map(kind =>
      client.invalidateQueries({ queryKey: [kind, projectID] }, { cancelRefetch: false }),
    ),
  );
}
