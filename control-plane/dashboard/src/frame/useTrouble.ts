import { notifyManager, useQueryClient } from '@tanstack/react-query';
import { useMemo, useSyncExternalStore } from 'react';
import { type Trouble, troubleOf } from './trouble';

/** Why the queries of the page are not answered now. */
export function useTrouble(): Trouble | null {
  const cache = useQueryClient().getQueryCache();
  const subscribe = useMemo(
    // The cache notifies of a new query while the component that asks is rendered, which is no time for another to change.
    () => (listener: () => void) => cache.subscribe(notifyManager.batchCalls(listener)),
    [cache],
  );
  return useSyncExternalStore(subscribe, () =>
    troubleOf(
      cache.getAll().map(query => ({
        isShown: query.isActive(),
        hasData: query.state.data !== undefined,
        error: query.state.error,
      })),
    ),
  );
}
