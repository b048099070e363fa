import { useQueries, useQuery } from '@tanstack/react-query';
import { useWindowVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { usePolling } from '../../frame/Live';
import { PAGE_SIZE, type TeamFilter, type TeamMember, teamQuery } from './queries';

interface TeamRows {
  /** The first page: whether there is anything, and what was refused. */
  first: ReturnType<typeof useFirst>;
  total: number;
  /** `undefined` until its page is there. */
  at: (index: number) => TeamMember | undefined;
  shown: VirtualItem[];
  /** The height of all rows, and the element that holds them. */
  height: number;
  holder: RefObject<HTMLDivElement | null>;
  /** Where a row is in the holder. */
  top: (item: VirtualItem) => number;
  measure: (element: Element | null) => void;
  scrollTo: (index: number) => void;
}

function useFirst(filter: TeamFilter) {
  return useQuery(teamQuery(filter, 0));
}

/** The rows in view, of as many members as there are; their pages are asked for as they come into view. */
export function useTeamRows(filter: TeamFilter, rowHeight: number): TeamRows {
  const first = useFirst(filter);
  const total = first.data?.total ?? 0;
  const holder = useRef<HTMLDivElement>(null);
  const [margin, setMargin] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is above the list moves when the list changes
  useLayoutEffect(() => {
    const box = holder.current?.getBoundingClientRect();
    if (box !== undefined) setMargin(Math.round(box.top + window.scrollY));
  }, [total, first.data === undefined]);
  const rows = useWindowVirtualizer({
    count: total,
    estimateSize: () => rowHeight,
    overscan: 8,
    scrollMargin: margin,
  });
  const shown = rows.getVirtualItems();
  const pages = [...new Set(shown.map(({ index }) => Math.floor(index / PAGE_SIZE)))];
  const refetchInterval = usePolling();
  const loaded = useQueries({
    queries: pages.map(page => ({ ...teamQuery(filter, page), refetchInterval })),
  });
  return {
    first,
    total,
    at: index => {
      const page = loaded[pages.indexOf(Math.floor(index / PAGE_SIZE))];
      // Rows of another page or search are shown as loading, not as these.
      if (page?.data === undefined || page.data.offset !== Math.floor(index / PAGE_SIZE) * PAGE_SIZE) {
        return undefined;
      }
      return page.data.data[index % PAGE_SIZE];
    },
    shown,
    height: rows.getTotalSize(),
    holder,
    top: item => item.start - margin,
    measure: rows.measureElement,
    scrollTo: index => rows.scrollToIndex(index),
  };
}
