import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useState } from 'react';
import { type Change, follow, type LiveEvent } from '../api/events';
import { invalidates } from './invalidates';

const LiveContext = createContext(false);

/** Whether changes by others arrive by themselves. */
export function useLive(): boolean {
  return use(LiveContext);
}

/** How often a query asks again by itself: not at all while the stream tells of changes. */
export function usePolling(): number | false {
  return useLive() ? false : 10_000;
}

/** Keeps what is shown true: each event of the stream marks the queries that it concerns as stale. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const [isLive, setLive] = useState(false);

  useEffect(() => {
    const stop = new AbortController();
    const onEvent = (event: LiveEvent) => {
      if (event.event === 'reset') void client.invalidateQueries();
      if (event.event !== 'change') return;
      for (const queryKey of invalidates(event.data as Change)) void client.invalidateQueries({ queryKey });
    };
    follow({ onEvent, onStatus: setLive }, stop.signal);
    return () => stop.abort();
  }, [client]);

  return <LiveContext value={isLive}>{children}</LiveContext>;
}
