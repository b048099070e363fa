import { useState } from 'react';
import { number } from '../messages/format';
import { type Column, Table } from '../ui/Table';
import styles from './Charts.module.css';
import { charts } from './messages';
import { sum, type Timeline, totalAt } from './series';

interface Row {
  id: string;
  name: string;
  counts: readonly number[];
  total: number;
}

/** The numbers of a chart; closed at first. */
export function ChartTable({ label, timeline }: { label: string; timeline: Timeline }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={styles.table} onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>{charts.asTable()}</summary>
      {isOpen ? <Numbers label={label} timeline={timeline} /> : null}
    </details>
  );
}

function Numbers({ label, timeline }: { label: string; timeline: Timeline }) {
  const { at, step, lines } = timeline;
  const totals = lines.map(({ counts }) => sum(counts));
  const rows: Row[] = at.map((start, index) => ({
    id: String(start),
    name: charts.time(start, step),
    counts: lines.map(({ counts }) => counts[index] ?? 0),
    total: totalAt(timeline, index),
  }));
  rows.push({ id: 'all', name: charts.total(), counts: totals, total: sum(totals) });
  const columns: Column<Row>[] = [
    { id: 'time', title: charts.timeColumn(), cell: row => row.name },
    ...lines.map((line, index) => ({
      id: line.id,
      title: line.label,
      cell: (row: Row) => number(row.counts[index] ?? 0),
    })),
    { id: 'total', title: charts.total(), cell: row => number(row.total) },
  ];
  return <Table label={charts.tableOf(label)} columns={columns} rows={rows} rowId={({ id }) => id} />;
}
