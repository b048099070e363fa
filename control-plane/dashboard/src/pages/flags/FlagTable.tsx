import { useQueries } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { usePolling } from '../../frame/Live';
import { useMe } from '../../session/me';
import { EnvironmentDot } from '../../ui/Chip';
import { Optional } from '../../ui/Optional';
import { part } from '../../ui/part';
import { useNarrow } from '../../ui/useNarrow';
import { useNow } from '../../ui/useNow';
import type { SwitchQuestion } from './ConfirmSwitch';
import { type FlagColumn, useColumns } from './columns';
import styles from './Flags.module.css';
import { flagsPage } from './messages';
import type { OverviewEnvironment, OverviewFlag, OverviewQuery } from './overview';
import { overviewQuery, PAGE_SIZE } from './queries';
import { ROW_HEIGHT, Row } from './Row';
import type { RowMenuTarget } from './RowMenu';
import { pagesOf } from './rowPages';
import { rememberScroll, scrollOf } from './scrollMemory';
import { MOST_SELECTED } from './selection';
import { useGrid } from './useGrid';
import { useSelection } from './useSelection';

const RowMenu = part(() => import('./RowMenu'));
const ConfirmSwitch = part(() => import('./ConfirmSwitch'));
const BulkBar = part(() => import('./bulk/BulkBar'));
const ColumnsMenu = part(() => import('./ColumnsMenu'));

const NARROW_COLUMNS: FlagColumn[] = ['changed'];
/** With none of these nothing can be done with selected flags. */
const EDITS = ['flags.toggle', 'flags.update', 'flags.promote', 'flags.delete'];

interface FlagTableProps {
  projectId: string;
  query: OverviewQuery;
  environments: readonly OverviewEnvironment[];
  total: number;
  onOwner: (id: string) => void;
}

/** Only the rows in view exist, and only their pages are asked for: 10,000 flags cost what 20 do. */
export function FlagTable({ projectId, query, environments, total, onOwner }: FlagTableProps) {
  const { permissions } = useMe();
  const isSelectable = EDITS.some(edit => permissions.includes(edit));
  const isNarrow = useNarrow();
  const now = useNow(60_000);
  const chosen = useColumns();
  const details = isNarrow ? NARROW_COLUMNS : chosen;
  const [menu, setMenu] = useState<RowMenuTarget | null>(null);
  const [question, setQuestion] = useState<SwitchQuestion | null>(null);
  const [columnsButton, setColumnsButton] = useState<HTMLElement | null>(null);
  const { selection, select, selectFirst, clear } = useSelection(projectId, query);
  const onSelect = useCallback((...args: Parameters<typeof select>) => void select(...args), [select]);
  const entry = useLocation({ select: ({ state }) => state.__TSR_key ?? '' });
  const scroller = useRef<HTMLDivElement>(null);
  const scrollTo = useRef((_row: number) => {});
  const columns = environments.length + details.length + 3;
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
    overscan: 3,
    initialOffset: () => scrollOf(entry),
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

  const isSelected = (flag: OverviewFlag | undefined) => flag !== undefined && selection.has(flag.key);

  const order = JSON.stringify(query);
  const shownOrder = useRef(order);
  useEffect(() => {
    if (order === shownOrder.current) return;
    shownOrder.current = order;
    scroller.current?.scrollTo({ top: 0 });
  }, [order]);

  const selectAll = flagsPage.selectAll(total, MOST_SELECTED);

  return (
    <div className={styles.area}>
      {/* Listens for keys on cells, and while the row that gets the focus is not drawn yet. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the grid inside of it is what is interacted with */}
      <div
        ref={scroller}
        className={selection.size === 0 ? styles.grid : `${styles.grid} ${styles.underBar}`}
        style={{ scrollPaddingBlockStart: headHeight }}
        tabIndex={-1}
        onKeyDown={onKeyDown}
        onFocus={onFocus}
        onScroll={({ currentTarget }) => rememberScroll(entry, currentTarget.scrollTop)}
      >
        <div
          className={styles.inner}
          style={{ '--environments': environments.length, '--details': details.length } as CSSProperties}
          role="grid"
          aria-label={flagsPage.table()}
          aria-rowcount={total + 1}
          aria-colcount={columns}
          aria-multiselectable
        >
          <div role="rowgroup" className={styles.headGroup} ref={head}>
            <div role="row" className={styles.head} aria-rowindex={1}>
              <div role="columnheader" aria-colindex={1} className={styles.check}>
                {isSelectable ? (
                  <input
                    type="checkbox"
                    aria-label={selectAll}
                    title={selectAll}
                    checked={selection.size > 0 && selection.size === Math.min(total, MOST_SELECTED)}
                    onChange={({ currentTarget }) =>
                      currentTarget.checked ? void selectFirst(Math.min(total, MOST_SELECTED)) : clear()
                    }
                  />
                ) : null}
              </div>
              <div role="columnheader" aria-colindex={2} className={styles.flag}>
                {flagsPage.flag()}
              </div>
              {environments.map((environment, index) => (
                <div key={environment.id} role="columnheader" aria-colindex={index + 3}>
                  <EnvironmentDot color={environment.color} />
                  <span className={styles.title}>{environment.name}</span>
                </div>
              ))}
              {details.map((column, index) => (
                <div key={column} role="columnheader" aria-colindex={environments.length + index + 3}>
                  {flagsPage.column(column)}
                </div>
              ))}
              <div role="columnheader" aria-colindex={columns} className={styles.menu}>
                <button
                  type="button"
                  className={styles.more}
                  aria-haspopup="menu"
                  aria-label={flagsPage.columns()}
                  title={flagsPage.columns()}
                  onClick={({ currentTarget }) => setColumnsButton(currentTarget)}
                >
                  ⚙
                </button>
              </div>
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
                columns={details}
                focusColumn={item.index === place.row ? place.column : null}
                isNarrow={isNarrow}
                isSelectable={isSelectable}
                isSelected={isSelected(flagAt(item.index))}
                now={now}
                onSelect={onSelect}
                onOwner={onOwner}
                onMenu={setMenu}
                onQuestion={setQuestion}
              />
            ))}
          </div>
        </div>
      </div>
      <Optional>
        {selection.size === 0 ? null : (
          <BulkBar projectId={projectId} environments={environments} selection={selection} onClear={clear} />
        )}
      </Optional>
      <Optional onClose={() => setMenu(null)}>
        {menu === null ? null : (
          <RowMenu
            {...menu}
            projectId={projectId}
            environments={environments}
            onClose={() => setMenu(null)}
          />
        )}
      </Optional>
      <Optional onClose={() => setQuestion(null)}>
        {question === null ? null : (
          <ConfirmSwitch {...question} projectId={projectId} onClose={() => setQuestion(null)} />
        )}
      </Optional>
      <Optional onClose={() => setColumnsButton(null)}>
        {columnsButton === null ? null : (
          <ColumnsMenu button={columnsButton} onClose={() => setColumnsButton(null)} />
        )}
      </Optional>
    </div>
  );
}
