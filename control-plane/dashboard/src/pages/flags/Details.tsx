import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { FlagColumn } from './columns';
import styles from './Flags.module.css';
import { flagsPage } from './messages';
import type { OverviewFlag } from './overview';
import { statusOf } from './status';

interface DetailsProps {
  flag: OverviewFlag;
  columns: readonly FlagColumn[];
  /** The column of the first of them. */
  first: number;
  focusColumn: number | null;
  now: number;
  onOwner: (id: string) => void;
}

/** The columns after the environments: status, owner, last change, last evaluation. */
export function Details({ flag, columns, first, focusColumn, now, onOwner }: DetailsProps) {
  return columns.map((column, index) => {
    const place = first + index;
    const tabIndex = focusColumn === place - 1 ? 0 : -1;
    const { content, title, holdsFocus } = shown(column, flag, now, tabIndex, onOwner);
    return (
      <div
        key={column}
        role="gridcell"
        aria-colindex={place}
        className={styles.detail}
        title={title}
        data-title={flagsPage.column(column)}
        {...(holdsFocus ? {} : { tabIndex })}
      >
        {content}
      </div>
    );
  });
}

interface Shown {
  content: ReactNode;
  title?: string | undefined;
  /** Something in the cell takes the focus. */
  holdsFocus?: boolean;
}

function shown(
  column: FlagColumn,
  flag: OverviewFlag,
  now: number,
  tabIndex: number,
  onOwner: (id: string) => void,
): Shown {
  switch (column) {
    case 'status': {
      const status = statusOf(flag, now);
      const text = flagsPage.status(status);
      if (status !== 'stale') return { content: text, title: flagsPage.statusText(status) };
      return {
        content: (
          <Link
            from="/p/$project/flags"
            to="/p/$project/insights"
            search={{ tab: 'stale' }}
            tabIndex={tabIndex}
            className={styles.stale}
          >
            {text}
          </Link>
        ),
        title: flagsPage.statusText(status),
        holdsFocus: true,
      };
    }
    case 'owner': {
      const { owner } = flag;
      if (owner === null) return { content: flagsPage.nothing() };
      return {
        content: (
          <button
            type="button"
            tabIndex={tabIndex}
            className={styles.owner}
            aria-label={flagsPage.filterOwner(owner.name)}
            onClick={() => onOwner(owner.id)}
          >
            {owner.name}
          </button>
        ),
        title: owner.name,
        holdsFocus: true,
      };
    }
    case 'changed': {
      const last = lastChange(flag);
      return { content: flagsPage.ago(last.at, now), title: flagsPage.changedAt(last.at, last.by) };
    }
    case 'evaluated':
      return flag.last_evaluated_at === null
        ? { content: flagsPage.neverEvaluated() }
        : {
            content: flagsPage.ago(flag.last_evaluated_at, now),
            title: flagsPage.lastAsked(flag.last_evaluated_at),
          };
  }
}

/** The newest change of the flag or of one of its states. */
function lastChange(flag: OverviewFlag): { at: string; by: string | null } {
  let last: { at: string; by: string | null } = { at: flag.updated_at, by: null };
  for (const state of Object.values(flag.states)) {
    if (Date.parse(state.updated_at) > Date.parse(last.at)) {
      last = { at: state.updated_at, by: state.updated_by?.name ?? null };
    }
  }
  return last;
}
