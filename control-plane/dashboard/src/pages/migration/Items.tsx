import { useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, useEffect, useRef } from 'react';
import { Chip } from '../../ui/Chip';
import { Value } from '../../ui/Value';
import styles from './Migration.module.css';
import { migration as words } from './messages';
import type { Item, Verdict } from './queries';
import { reasonOf } from './verdicts';

/** Rows from the end of those that are loaded at which more are asked for. */
const AHEAD = 20;

const TONES: Record<Verdict, 'good' | 'warn' | 'plain'> = {
  exact: 'good',
  approximated: 'warn',
  skipped: 'plain',
};

interface ItemsProps {
  label: string;
  items: readonly Item[];
  /** How many there are, which may be more than are loaded. */
  total: number;
  onEnd?: () => void;
}

/** Only the items in view exist: thousands of them cost what twenty do. */
export function Items({ label, items, total, onEnd }: ItemsProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 44,
    overscan: 5,
  });
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? -1;
  const isNearEnd = last >= items.length - AHEAD && items.length < total;
  useEffect(() => {
    if (isNearEnd) onEnd?.();
  }, [isNearEnd, onEnd]);

  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section ref={scroller} className={styles.items} aria-label={label} tabIndex={0}>
      <ul className={styles.inner} style={{ blockSize: rows.getTotalSize() }}>
        {shown.map(row => {
          const item = items[row.index];
          if (item === undefined) return null;
          return (
            <li
              key={row.key}
              ref={rows.measureElement}
              data-index={row.index}
              className={styles.item}
              style={{ insetBlockStart: row.start } as CSSProperties}
              aria-setsize={total}
              aria-posinset={row.index + 1}
            >
              <span className="row">
                <Chip tone={TONES[item.verdict]}>{words.verdict(item.verdict)}</Chip>
                <span className="soft small">{words.kind(item.kind)}</span>
                <strong>
                  <Value>{item.source}</Value>
                </strong>
                {item.key === null || item.key === item.source ? null : (
                  <code className="soft small">{words.becomes(item.key)}</code>
                )}
              </span>
              {item.reasons.length === 0 ? null : (
                <ul className={styles.reasons}>
                  {item.reasons.map(reason => (
                    <li key={reason}>
                      <Value>{reasonOf(reason)}</Value>
                    </li>
                  ))}
                </ul>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
