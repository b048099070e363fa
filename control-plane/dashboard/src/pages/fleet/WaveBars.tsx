import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import styles from './Fleet.module.css';
import { fleetPage as words } from './messages';
import type { Bar } from './waves';

const ROW_HEIGHT = 28;

/** A table whose rows have a bar: as many as are in view, of however many there are. */
export function WaveBars({ bars, isKill }: { bars: readonly Bar[]; isKill: boolean }) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: bars.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 8,
  });
  const items = virtual.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section ref={scroller} className={styles.bars} tabIndex={0} aria-label={words.waveTable()}>
      <table aria-label={words.waveTable()} aria-rowcount={bars.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">{words.name()}</th>
            <th scope="col">{words.region()}</th>
            <th scope="col" colSpan={2}>
              {words.after()}
            </th>
          </tr>
        </thead>
        <tbody>
          {before > 0 ? <Spacer height={before} /> : null}
          {items.map(({ index, key }) => {
            const bar = bars[index];
            return bar === undefined ? null : (
              <tr key={key} aria-rowindex={index + 2}>
                <td>{bar.edge}</td>
                <td>{bar.region ?? words.anyRegion()}</td>
                <td className={styles.number}>{words.ms(bar.ms)}</td>
                <td className={styles.barCell} aria-hidden>
                  <span
                    className={styles.bar}
                    data-killed={isKill}
                    style={{ inlineSize: `${bar.share * 100}%` }}
                  />
                </td>
              </tr>
            );
          })}
          {after > 0 ? <Spacer height={after} /> : null}
        </tbody>
      </table>
    </section>
  );
}

function Spacer({ height }: { height: number }) {
  return (
    <tr aria-hidden>
      <td colSpan={4} style={{ blockSize: height, padding: 0 }} />
    </tr>
  );
}
