import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useLive, useLiveEvents } from '../../frame/Live';
import { type Entry, entriesQuery, type Filter, newEntries } from './queries';

/** Changes come in bursts; one look is enough for all of them. */
const PAUSE_MS = 700;
const POLL_MS = 10_000;

export interface Fresh {
  /** Entries that came since the list was loaded and are shown above it. */
  shown: readonly Entry[];
  /** Entries that wait to be shown: while it is paused, or while something further down is read. */
  waiting: number;
  show: () => void;
}

/**
 * New entries as they come. Where there are more than a page of them, the list is loaded anew.
 */
export function useFresh(filter: Filter, top: Entry | undefined, isOn: boolean, isAtTop: boolean): Fresh {
  const client = useQueryClient();
  const isLive = useLive();
  const [shown, setShown] = useState<readonly Entry[]>([]);
  const [waiting, setWaiting] = useState<readonly Entry[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  const look = useEffectEvent(async () => {
    const newest = waiting[0] ?? shown[0] ?? top;
    try {
      const { entries, isMore } = await newEntries(filter, newest?.created_at);
      if (isMore && isOn && isAtTop) {
        setShown([]);
        setWaiting([]);
        await client.resetQueries({ queryKey: entriesQuery(filter).queryKey, exact: true });
        return;
      }
      const known = new Set([...waiting, ...shown].map(({ id }) => id));
      if (top !== undefined) known.add(top.id);
      const fresh = entries.filter(({ id, created_at }) => !known.has(id) && isNewer(created_at, top));
      if (fresh.length === 0) return;
      if (isOn && isAtTop) setShown([...fresh, ...waiting, ...shown]);
      else setWaiting([...fresh, ...waiting]);
    } catch {
      // The bar of the frame says that the service is away; the next event looks again.
    }
  });

  const soon = useEffectEvent(() => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void look(), PAUSE_MS);
  });
  useLiveEvents(({ event }) => {
    if (filter.to === undefined && (event === 'change' || event === 'reset')) soon();
  });
  const isPolled = !isLive && filter.to === undefined;
  useEffect(() => {
    if (!isPolled) return;
    const polling = setInterval(() => void look(), POLL_MS);
    return () => clearInterval(polling);
  }, [isPolled]);
  // A list that is there when the page opens is one of an earlier visit.
  const [isCached] = useState(top !== undefined);
  useEffect(() => {
    if (isCached) soon();
    return () => clearTimeout(timer.current);
  }, [isCached]);

  return {
    shown,
    waiting: waiting.length,
    show: () => {
      setShown([...waiting, ...shown]);
      setWaiting([]);
    },
  };
}

/** Entries of the moment of the first one in the list are in it already, or came with it. */
function isNewer(at: string, top: Entry | undefined): boolean {
  return top === undefined || Date.parse(at) > Date.parse(top.created_at);
}
