import { useQueries } from '@tanstack/react-query';
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { usePolling } from '../../frame/Live';
import { mayKill } from '../../kill/mayKill';
import { useMe } from '../../session/me';
import { EnvironmentDot } from '../../ui/Chip';
import { Optional } from '../../ui/Optional';
import { part } from '../../ui/part';
import { useNarrow } from '../../ui/useNarrow';
import type { CellMenuTarget } from './CellMenu';
import styles from './Flags.module.css';
import { flagsPage } from './messages';
import type { OverviewEnvironment, OverviewFlag, OverviewQuery } from './overview';
import { overviewQuery, PAGE_SIZE } from './queries';
import { ROW_HEIGHT, Row } from './Row';
import { pagesOf } from './rowPages';
import { useGrid } from './useGrid';

const CellMenu = part(() => import('./CellMenu'));

interface FlagTableProps {
  projectId: string;
  query: OverviewQuery;
  environments: readonly OverviewEnvironment[];
  total: number;
}

/** Only the rows in view exist, and only their pages are asked for: 10,000 flags cost what 20 do. */
export function FlagTable({ projectId, query, environments, total }: FlagTableProps) {
  const me = useMe();
  const isNarrow = useNarrow();
  const [menu, setMenu] = useState<CellMenuTarget | null>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const scrollTo = useRef((_row: number) => {});
  const columns = environments.length + 1;
  const { place, onKeyDown, onFocus } = useGrid({
    rows: total,
    columns,
    page: Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW_HEIGHT) - 1),
    grid: scroller,
    scrollTo,
  });

  const head = useRef<HTMLDivElement>(null);
  const [headHeight, setHeadHeight] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names of the environments make its height
  useLayoutEffect(
    () => setHeadHeight(isNarrow ? 0 : (head.current?.offsetHeight ?? 0)),
    [isNarrow, environments],
  );
  const rows = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 2,
    scrollMargin: headHeight,
    scrollPaddingStart: headHeight,
    // The row with the tab stop is always there: the keyboard does not lose its place when the table is scrolled.
    rangeExtractor: range => {
      const drawn = defaultRangeExtractor(range);
      return drawn.includes(place.row) ? drawn : [...drawn, place.row].sort((a, b) => a - b);
    },
  });
  scrollTo.current = row => rows.scrollToIndex(row);

  const shown = rows.getVirtualItems();
  const pages = pagesOf(shown.map(({ index }) => index));
  const refetchInterval = usePolling();
  const loaded = useQueries({
    queries: pages.map(page => ({ ...overviewQuery(projectId, query, page), refetchInterval })),
  });
  const flagAt = (index: number): OverviewFlag | undefined => {
    const page = loaded[pages.indexOf(Math.floor(index / PAGE_SIZE))]?.data;
    return page?.offset === Math.floor(index / PAGE_SIZE) * PAGE_SIZE
      ? page.data[index % PAGE_SIZE]
      : undefined;
  };

  const order = JSON.stringify(query);
  useEffect(() => {
    if (order !== '') scroller.current?.scrollTo({ top: 0 });
  }, [order]);

  return (
    <>
      {/* Listens for keys on cells, and while the row that gets the focus is not drawn yet. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the grid inside of it is what is interacted with */}
      <div
        ref={scroller}
        className={styles.grid}
        style={{ scrollPaddingBlockStart: headHeight }}
        tabIndex={-1}
        onKeyDown={onKeyDown}
        onFocus={onFocus}
      >
        <div
          className={styles.inner}
          style={{ '--environments': environments.length } as CSSProperties}
          role="grid"
          aria-label={flagsPage.table()}
          aria-rowcount={total + 1}
          aria-colcount={columns}
        >
          <div role="rowgroup" className={styles.headGroup} ref={head}>
            <div role="row" className={styles.head} aria-rowindex={1}>
              <div role="columnheader" aria-colindex={1} className={styles.flag}>
                {flagsPage.flag()}
              </div>
              {environments.map((environment, index) => (
                <div key={environment.id} role="columnheader" aria-colindex={index + 2}>
                  <EnvironmentDot color={environment.color} />
                  {environment.name}
                </div>
              ))}
            </div>
          </div>
          <div role="rowgroup" className={styles.rows} style={{ blockSize: rows.getTotalSize() }}>
            {shown.map(item => (
              <Row
                key={item.key}
                ref={rows.measureElement}
                projectId={projectId}
                index={item.index}
                top={item.start - headHeight}
                flag={flagAt(item.index)}
                environments={environments}
                focusColumn={item.index === place.row ? place.column : null}
                isNarrow={isNarrow}
                onMenu={setMenu}
              />
            ))}
          </div>
        </div>
      </div>
      <Optional onClose={() => setMenu(null)}>
        {menu === null ? null : (
          <CellMenu
            {...menu}
            projectId={projectId}
            mayKill={mayKill(me, menu.environment.id)}
            onClose={() => setMenu(null)}
          />
        )}
      </Optional>
    </>
  );
}
