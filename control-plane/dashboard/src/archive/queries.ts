import type { QueryClient } from '@tanstack/react-query';
import { api, type Outcome, outcome } from '../api/client';
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
