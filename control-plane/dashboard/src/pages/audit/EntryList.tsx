import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../ui/Button';
import { useNow } from '../../ui/useNow';
import styles from './Audit.module.css';
import { EntryRow } from './EntryRow';
import { audit } from './messages';
import type { Entry } from './queries';

const ROW_HEIGHT = 76;
/** The next page is asked for while so many entries are left. */
const AHEAD = 30;

interface EntryListProps {
  entries: readonly Entry[];
  hasMore: boolean;
  isLoadingMore: boolean;
  isFailed: boolean;
  onMore: () => void;
}

/** Only the entries in view exist, and older ones are asked for as they come into view. */
export function EntryList({ entries, hasMore, isLoadingMore, isFailed, onMore }: EntryListProps) {
  const list = useRef<HTMLOListElement>(null);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const now = useNow(10_000);
  const [margin, setMargin] = useState(0);
  useEffect(() => setMargin(list.current?.offsetTop ?? 0), []);
  const rows = useWindowVirtualizer({
    count: entries.length,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: index => entries[index]?.id ?? index,
    overscan: 6,
    scrollMargin: margin,
  });
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  const isNearEnd = hasMore && !isLoadingMore && !isFailed && last >= entries.length - AHEAD;
  // biome-ignore lint/correctness/useExhaustiveDependencies: asks once for each page
  useEffect(() => {
    if (isNearEnd) onMore();
  }, [isNearEnd, entries.length]);

  const toggle = (id: string) => {
    const next = new Set(open);
    if (!next.delete(id)) next.add(id);
    setOpen(next);
  };
  return (
    <>
      <ol
        ref={list}
        className={`${styles.list} lines`}
        style={{ blockSize: rows.getTotalSize() }}
        aria-label={audit.entries()}
      >
        {shown.map(({ index, key, start }) => {
          const entry = entries[index];
          return entry === undefined ? null : (
            <li
              key={key}
              ref={rows.measureElement}
              data-index={index}
              className={styles.entry}
              aria-setsize={hasMore ? -1 : entries.length}
              aria-posinset={index + 1}
              style={{ transform: `translateY(${start - margin}px)` }}
            >
              <EntryRow
                entry={entry}
                now={now}
                isOpen={open.has(entry.id)}
                onToggle={() => toggle(entry.id)}
              />
            </li>
          );
        })}
      </ol>
      <p className="soft" role="status">
        {isLoadingMore ? audit.loadingMore() : isFailed ? audit.failedMore() : hasMore ? '' : audit.end_()}
      </p>
      {isFailed ? (
        <div>
          <Button onPress={onMore}>{audit.retry()}</Button>
        </div>
      ) : null}
    </>
  );
}
