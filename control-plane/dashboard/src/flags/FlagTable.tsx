import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, lazy, Suspense, useEffect, useRef, useState } from 'react';
import { usePolling } from '../frame/Live';
import { mayKill } from '../kill/mayKill';
import { t } from '../messages/en';
import { useMe } from '../session/me';
import { Chip, EnvironmentDot } from '../ui/Chip';
import { Skeleton } from '../ui/Feedback';
import { useNarrow } from '../ui/useNarrow';
import { Cell } from './Cell';
import type { CellMenuTarget } from './CellMenu';
import styles from './Flags.module.css';
import type { OverviewEnvironment, OverviewFlag, OverviewQuery } from './overview';
import { pagesOf } from './pages';
import { overviewQuery, PAGE_SIZE } from './queries';

const CellMenu = lazy(() => import('./CellMenu'));

const ROW_HEIGHT = 64;
/** Tags that a row shows; the others are counted. */
const TAGS_SHOWN = 3;

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
  const rows = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 3,
  });
  const shown = rows.getVirtualItems();
  const pages = pagesOf(shown[0]?.index ?? 0, shown.at(-1)?.index ?? 0);
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

  const columns = { '--environments': environments.length } as CSSProperties;
  return (
    <div ref={scroller} className={styles.grid}>
      <div
        className={styles.inner}
        style={columns}
        role="table"
        aria-label={t.flags.table()}
        aria-rowcount={total + 1}
        aria-colcount={environments.length + 1}
      >
        <div role="rowgroup" className={styles.headGroup}>
          <div role="row" className={styles.head} aria-rowindex={1}>
            <div role="columnheader" aria-colindex={1} className={styles.flag}>
              {t.flags.flag()}
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
          {shown.map(item => {
            const flag = flagAt(item.index);
            return (
              <div
                key={item.key}
                ref={rows.measureElement}
                data-index={item.index}
                role="row"
                aria-rowindex={item.index + 2}
                className={styles.row}
                style={{ transform: `translateY(${item.start}px)` }}
              >
                {flag === undefined ? (
                  <Waiting />
                ) : (
                  <>
                    <FlagCell flag={flag} />
                    {environments.map((environment, index) => (
                      <Cell
                        key={environment.id}
                        projectId={projectId}
                        flag={flag}
                        environment={environment}
                        column={index + 2}
                        isNarrow={isNarrow}
                        onMenu={setMenu}
                      />
                    ))}
                  </>
                )}
              </div>
            );
          })}
        </div>
      </div>
      <Suspense>
        {menu === null ? null : (
          <CellMenu
            {...menu}
            projectId={projectId}
            mayKill={mayKill(me, menu.environment.id)}
            onClose={() => setMenu(null)}
          />
        )}
      </Suspense>
    </div>
  );
}

function Waiting() {
  return (
    <div role="cell" aria-colindex={1}>
      <Skeleton height={`${ROW_HEIGHT - 20}px`} width="14rem" />
    </div>
  );
}

function FlagCell({ flag }: { flag: OverviewFlag }) {
  const hidden = flag.tags.length - TAGS_SHOWN;
  return (
    <div
      role="rowheader"
      aria-colindex={1}
      className={styles.flag}
      title={flag.last_evaluated_at === null ? undefined : t.flags.lastAsked(flag.last_evaluated_at)}
    >
      <Link from="/p/$project/flags" to="$key" params={{ key: flag.key }} search={{}} className={styles.key}>
        {flag.key}
      </Link>
      <span className={styles.name}>{flag.name}</span>
      <span className={styles.meta}>
        {flag.flag_type === 'boolean' ? null : <Chip>{t.flags.typeName(flag.flag_type)}</Chip>}
        {flag.tags.slice(0, TAGS_SHOWN).map(tag => (
          <Chip key={tag}>{tag}</Chip>
        ))}
        {hidden > 0 ? <Chip>{t.flags.more(hidden)}</Chip> : null}
      </span>
    </div>
  );
}
