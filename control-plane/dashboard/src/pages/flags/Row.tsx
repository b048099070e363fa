import { Link } from '@tanstack/react-router';
import { memo, type Ref } from 'react';
import { Chip } from '../../ui/Chip';
import { Skeleton } from '../../ui/Feedback';
import { Cell } from './Cell';
import type { CellMenuTarget } from './CellMenu';
import styles from './Flags.module.css';
import { flagsPage } from './messages';
import type { OverviewEnvironment, OverviewFlag } from './overview';

/** The height of a row with one tag; more tags and longer summaries may need more. */
export const ROW_HEIGHT = 73;
/** Tags that a row shows; the others are counted. */
const TAGS_SHOWN = 3;

interface RowProps {
  ref: Ref<HTMLDivElement>;
  projectId: string;
  index: number;
  /** Where it is in the table. */
  top: number;
  /** `undefined` until its page is there. */
  flag: OverviewFlag | undefined;
  environments: readonly OverviewEnvironment[];
  /** The column with the tab stop of the table, in the row that has it. */
  focusColumn: number | null;
  isNarrow: boolean;
  onMenu: (target: CellMenuTarget) => void;
}

export const Row = memo(function Row({
  ref,
  index,
  top,
  flag,
  environments,
  focusColumn,
  ...rest
}: RowProps) {
  return (
    <div
      ref={ref}
      data-index={index}
      role="row"
      aria-rowindex={index + 2}
      className={styles.row}
      style={{ transform: `translateY(${top}px)` }}
    >
      {flag === undefined ? (
        <div role="gridcell" className={styles.waiting}>
          <Skeleton height={`${ROW_HEIGHT - 20}px`} width="14rem" />
        </div>
      ) : (
        <>
          <FlagCell flag={flag} isTabStop={focusColumn === 0} />
          {environments.map((environment, index) => (
            <Cell
              key={environment.id}
              flag={flag}
              environment={environment}
              column={index + 2}
              isTabStop={focusColumn === index + 1}
              {...rest}
            />
          ))}
        </>
      )}
    </div>
  );
});

function FlagCell({ flag, isTabStop }: { flag: OverviewFlag; isTabStop: boolean }) {
  const hidden = flag.tags.length - TAGS_SHOWN;
  return (
    <div
      role="rowheader"
      aria-colindex={1}
      className={styles.flag}
      title={flag.last_evaluated_at === null ? undefined : flagsPage.lastAsked(flag.last_evaluated_at)}
    >
      <Link
        from="/p/$project/flags"
        to="$key"
        params={{ key: flag.key }}
        search={{}}
        tabIndex={isTabStop ? 0 : -1}
        className={styles.key}
      >
        {flag.key}
      </Link>
      <span className={styles.name}>{flag.name}</span>
      <span className={styles.meta}>
        {flag.flag_type === 'boolean' ? null : <Chip>{flagsPage.typeName(flag.flag_type)}</Chip>}
        {flag.tags.slice(0, TAGS_SHOWN).map(tag => (
          <Chip key={tag}>{tag}</Chip>
        ))}
        {hidden > 0 ? <Chip>{flagsPage.more(hidden)}</Chip> : null}
      </span>
    </div>
  );
}
