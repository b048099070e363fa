import type { ReactNode } from 'react';
import styles from './Table.module.css';

export interface Column<Row> {
  id: string;
  title: string;
  cell: (row: Row) => ReactNode;
  /** The title is for screen readers only, as over a column of buttons. */
  isTitleHidden?: boolean;
}

interface TableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowId: (row: Row) => string;
}

/** A table of a few rows to read. It is a plain one: its cells hold what can be focused. Narrow screens get cards. */
export function Table<Row>({ label, columns, rows, rowId }: TableProps<Row>) {
  return (
    <div className={styles.scroll}>
      <table className={styles.table} aria-label={label}>
        <thead>
          <tr>
            {columns.map(column => (
              <th key={column.id} scope="col">
                {column.isTitleHidden ? <span className="hidden">{column.title}</span> : column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr key={rowId(row)}>
              {columns.map(column => (
                <td
                  key={column.id}
                  className={column.isTitleHidden ? styles.end : undefined}
                  {...(column.isTitleHidden ? {} : { 'data-column': column.title })}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
