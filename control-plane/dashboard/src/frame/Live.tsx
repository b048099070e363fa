import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useEffectEvent, useState } from 'react';
import { type Change, follow, type LiveEvent, type WaveEvent } from '../api/events';
import { receiveWave } from '../fleet/waves';
import { invalidates } from './invalidates';

const LiveContext = createContext(false);

/** Whether changes by others arrive by themselves. */
export function useLive(): boolean {
  return use(LiveContext);
}

/** The stream may take this long at first, and after an interruption, before it is worth a word. */
const PATIENCE_MS = 5000;

/** Whether they have not for so long that it has to be said. */
export function useLateLive(): boolean {
  const isLive = useLive();
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    setLate(false);
    if (isLive) return;
    const timer = setTimeout(() => setLate(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [isLive]);
  return isLate && !isLive;
}

/** How often a query asks again by itself: not at all while the event stream is connected. */
export function usePolling(): number | false {
  return useLive() ? false : 10_000;
}

const listeners = new Set<(event: LiveEvent) => void>();

/** Calls `onEvent` with each event of the stream while the component is there. */
export function useLiveEvents(onEvent: (event: LiveEvent) => void): void {
  const listener = useEffectEvent(onEvent);
  useEffect(() => {
    const own = (event: LiveEvent) => listener(event);
    listeners.add(own);
    return () => {
      listeners.delete(own);
    };
  }, []);
}

/** Keeps what is shown true: each event of the stream marks the queries that it concerns as stale. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const [isLive, setLive] = useState(false);

  useEffect(() => {
    const stop = new AbortController();
    const onEvent = (event: LiveEvent) => {
      for (const listener of listeners) listener(event);
      if (event.event === 'wave') receiveWave(event.data as WaveEvent, performance.now());
      if (event.event === 'reset') void client.invalidateQueries();
      if (event.event !== 'change') return;
      for (const queryKey of invalidates(event.data as Change)) void client.invalidateQueries({ queryKey });
    };
    follow({ onEvent, onStatus: setLive }, stop.signal);
    return () => stop.abort();
  }, [client]);

  return <LiveContext value={isLive}>{children}</LiveContext>;
}
