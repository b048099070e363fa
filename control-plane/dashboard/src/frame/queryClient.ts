import { QueryClient } from '@tanstack/react-query';
import { Refused } from '../api/refusal';

/** The cache of queries, for pages after sign-in only. It is emptied when the session ends or changes. */
export const queryClient = new QueryClient({
  defaultOptions: { queries: { retry: mayRetry, staleTime: 5000 } },
});

/** Only what may be different a moment later is asked for again; a refusal of the service is its answer. */
function mayRetry(failures: number, error: Error): boolean {
  if (!(error instanceof Refused)) return false;
  const { kind } = error.refusal;
  return (kind === 'fault' || kind === 'offline') && failures < 2;
}
