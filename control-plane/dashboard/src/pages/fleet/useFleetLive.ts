import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useLiveEvents } from '../../frame/Live';

/** Events that come within this time cause one request. */
const TOGETHER_MS = 300;
/** The answers may be large: while events keep coming, there is one in this time. */
const APART_MS = 2000;

/** Asks again for edges and waves when the stream says that something about them has changed. */
export function useFleetLive(): void {
  const client = useQueryClient();
  const due = useRef(new Map<string, ReturnType<typeof setTimeout>>());
  const last = useRef(new Map<string, number>());
  useLiveEvents(({ event }) => {
    const keys = event === 'wave' ? ['edges', 'edge-waves'] : event === 'edges' ? ['edges'] : [];
    for (const key of keys) {
      if (due.current.has(key)) continue;
      const since = performance.now() - (last.current.get(key) ?? Number.NEGATIVE_INFINITY);
      const ask = () => {
        due.current.delete(key);
        last.current.set(key, performance.now());
        void client.invalidateQueries({ queryKey: [key] });
      };
      due.current.set(key, setTimeout(ask, Math.max(TOGETHER_MS, APART_MS - since)));
    }
  });
  useEffect(() => {
    const timers = due.current;
    return () => {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    };
  }, []);
}
