import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useRef, useState } from 'react';
import { Button } from '../../ui/Button';
import { Chip } from '../../ui/Chip';
import { useNarrow } from '../../ui/useNarrow';
import styles from './Fleet.module.css';
import { fleetPage as words } from './messages';
import { endsSoon, mostBehind, type Row } from './rows';
import { StateMark } from './StateMark';

const ROW_HEIGHT = 44;
/** Cards shown at first, and with each press for more. */
const CARDS = 50;

interface Column {
  id: string;
  title: () => string;
  cell: (row: Row, now: number) => ReactNode;
}

/** One row an edge. Only the rows in view exist; narrow screens get cards. */
export function EdgeTable({
  rows,
  envId,
  now,
}: {
  rows: readonly Row[];
  envId: string | undefined;
  now: number;
}) {
  const isNarrow = useNarrow();
  const columns = columnsFor(envId);
  return isNarrow ? (
    <Cards rows={rows} columns={columns} now={now} />
  ) : (
    <Rows rows={rows} columns={columns} now={now} />
  );
}

interface PartProps {
  rows: readonly Row[];
  columns: readonly Column[];
  now: number;
}

function Rows({ rows, columns, now }: PartProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 6,
    scrollPaddingStart: ROW_HEIGHT,
  });
  const items = virtual.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section ref={scroller} className={styles.tableScroll} tabIndex={0} aria-label={words.edges()}>
      <table className={styles.table} aria-label={words.edges()} aria-rowcount={rows.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map(column => (
              <th key={column.id} scope="col">
                {column.title()}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {before > 0 ? <Spacer height={before} columns={columns.length} /> : null}
          {items.map(({ index, key }) => {
            const row = rows[index];
            return row === undefined ? null : (
              <tr key={key} aria-rowindex={index + 2} style={{ blockSize: ROW_HEIGHT }}>
                {columns.map(column => (
                  <td key={column.id}>{column.cell(row, now)}</td>
                ))}
              </tr>
            );
          })}
          {after > 0 ? <Spacer height={after} columns={columns.length} /> : null}
        </tbody>
      </table>
    </section>
  );
}

function Spacer({ height, columns }: { height: number; columns: number }) {
  return (
    <tr aria-hidden>
      <td colSpan={columns} style={{ blockSize: height, padding: 0, border: 0 }} />
    </tr>
  );
}

function Cards({ rows, columns, now }: PartProps) {
  const [shown, setShown] = useState(CARDS);
  const [, ...rest] = columns;
  return (
    <div className="stack close">
      <ul className={styles.cards} aria-label={words.edges()}>
        {rows.slice(0, shown).map(row => (
          <li key={row.name} className={styles.edgeCard}>
            <NameCell row={row} />
            <dl>
              {rest.map(column => {
                const cell = column.cell(row, now);
                return cell === words.none() ? null : (
                  <div key={column.id} className={styles.fact}>
                    <dt>{column.title()}</dt>
                    <dd>{cell}</dd>
                  </div>
                );
              })}
            </dl>
          </li>
        ))}
      </ul>
      {rows.length > shown ? (
        <Button onPress={() => setShown(shown + CARDS)}>{words.showMore()}</Button>
      ) : null}
    </div>
  );
}

function NameCell({ row }: { row: Row }) {
  return (
    <span className={styles.nameCell}>
      <Link to="/fleet/$edge" params={{ edge: row.name }}>
        {row.name}
      </Link>
      {row.edge.kind === 'edge' ? null : <Chip>{words.kind(row.edge.kind)}</Chip>}
    </span>
  );
}

function columnsFor(envId: string | undefined): Column[] {
  const columns: Column[] = [
    { id: 'name', title: words.name, cell: row => <NameCell row={row} /> },
    { id: 'region', title: words.region, cell: ({ edge }) => edge.region ?? words.anyRegion() },
    {
      id: 'state',
      title: words.stateFilter,
      cell: row => (
        <span className={styles.state}>
          <StateMark state={row.state} />
          {words.state(row.state)}
        </span>
      ),
    },
    { id: 'lag', title: words.served, cell: (row, now) => servedText(row, envId, now) },
    {
      id: 'rtt',
      title: words.rtt,
      cell: ({ edge }) => (edge.rtt_ms === null ? words.none() : words.ms(edge.rtt_ms)),
    },
    {
      id: 'rate',
      title: words.rate,
      cell: ({ edge }) =>
        edge.evaluations_per_minute === undefined ? words.none() : words.count(edge.evaluations_per_minute),
    },
    { id: 'since', title: words.since, cell: ({ edge }, now) => sinceText(edge, now) },
    { id: 'build', title: words.build, cell: ({ edge }) => edge.build ?? words.none() },
    { id: 'certificate', title: words.certificate, cell: row => <Certificate row={row} /> },
    {
      id: 'via',
      title: words.via,
      cell: ({ edge }) => edge.via ?? (edge.connected ? words.direct() : words.none()),
    },
  ];
  if (envId === undefined) return columns;
  const version: Column = {
    id: 'version',
    title: words.version,
    cell: ({ version }) => (version === null ? words.none() : words.versionOf(version)),
  };
  return [...columns.slice(0, 3), version, ...columns.slice(3)];
}

export function servedText(row: Row, envId: string | undefined, now: number): string {
  const { edge, lag } = row;
  if (edge.connected && edge.via !== undefined) return words.ofRelay();
  if (lag === null) return words.unknown();
  const [first] = lag;
  if (first === undefined) {
    const isHeld = !edge.connected || envId === undefined || row.version !== null;
    return isHeld ? words.current() : words.notHeld();
  }
  if (lag.length > 1) return words.behindIn(mostBehind(row), lag.length);
  const seconds = Math.max(0, Math.round((now - Date.parse(first.since)) / 1000));
  return words.behind(first.versions, seconds);
}

function sinceText({ connected_since, last_seen_at }: Row['edge'], now: number): string {
  if (connected_since !== null) return words.ago(connected_since, now);
  return last_seen_at === null ? words.none() : words.lastSeen(last_seen_at, now);
}

export function Certificate({ row }: { row: Row }) {
  const { certificate_expires_at } = row.edge;
  if (certificate_expires_at === null || row.certificateDays === null) return words.none();
  return endsSoon(row) ? (
    <Chip tone="warn">{words.endsIn(row.certificateDays)}</Chip>
  ) : (
    words.endsOn(certificate_expires_at)
  );
}
