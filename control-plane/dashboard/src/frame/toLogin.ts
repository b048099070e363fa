import type { useRouter } from '@tanstack/react-router';
import { queryClient } from './queryClient';

/**
 * Leads to the sign-in page. After a sign-out nothing in its address says what was open: the next person at this machine is another one.
 */
export function toLogin(router: ReturnType<typeof useRouter>, why: 'signedOut' | 'ended' | 'none'): void {
  const { pathname, searchStr, hash } = router.state.location;
  queryClient.clear();
  if (why === 'signedOut') {
    void router.navigate({ to: '/login' });
    return;
  }
  const ended = why === 'ended' ? ({ ended: true } as const) : {};
  // The fragment stays one: it may carry a context, which no server is to see.
  void router.navigate({ to: '/login', search: { next: pathname + searchStr, ...ended }, hash });
}
