import { memo, type Ref } from 'react';
import { Skeleton } from '../../ui/Feedback';
import { Cell } from './Cell';
import type { SwitchQuestion } from './ConfirmSwitch';
import type { FlagColumn } from './columns';
import { Details } from './Details';
import { FlagCell } from './FlagCell';
import styles from './Flags.module.css';
import { flagsPage } from './messages';
import type { OverviewEnvironment, OverviewFlag } from './overview';
import type { RowMenuTarget } from './RowMenu';

/** As in the style sheet; the cards of narrow screens are measured. */
export const ROW_HEIGHT = 42;

interface RowProps {
  ref: Ref<HTMLDivElement>;
  projectId: string;
  index: number;
  /** Where it is in the table. */
  top: number;
  /** `undefined` until its page is there. */
  flag: OverviewFlag | undefined;
  environments: readonly OverviewEnvironment[];
  columns: readonly FlagColumn[];
  /** The column with the tab stop of the table, in the row that has it. */
  focusColumn: number | null;
  isNarrow: boolean;
  isSelectable: boolean;
  isSelected: boolean;
  now: number;
  onSelect: (row: number, flag: OverviewFlag, isOn: boolean, isRange: boolean) => void;
  onOwner: (id: string) => void;
  onMenu: (target: RowMenuTarget) => void;
  onQuestion: (question: SwitchQuestion) => void;
}

export const Row = memo(function Row({
  ref,
  projectId,
  index,
  top,
  flag,
  environments,
  columns,
  focusColumn,
  isNarrow,
  isSelectable,
  isSelected,
  now,
  onSelect,
  onOwner,
  onMenu,
  onQuestion,
}: RowProps) {
  const firstDetail = environments.length + 3;
  const menuColumn = firstDetail + columns.length;
  return (
    <div
      ref={ref}
      data-index={index}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      className={styles.row}
      style={{ transform: `translateY(${top}px)` }}
    >
      {flag === undefined ? (
        <div role="gridcell" className={styles.waiting}>
          <Skeleton height={`${ROW_HEIGHT - 20}px`} width="14rem" />
        </div>
      ) : (
        <>
          <div
            role="gridcell"
            aria-colindex={1}
            className={styles.check}
            tabIndex={isSelectable ? undefined : -1}
          >
            {isSelectable ? (
              <input
                type="checkbox"
                aria-label={flagsPage.select(flag.key)}
                checked={isSelected}
                tabIndex={focusColumn === 0 ? 0 : -1}
                // The change comes without the keys that are held.
                onChange={() => {}}
                onClick={({ currentTarget, shiftKey }) =>
                  onSelect(index, flag, currentTarget.checked, shiftKey)
                }
              />
            ) : null}
          </div>
          <FlagCell flag={flag} isTabStop={focusColumn === 1} />
          {environments.map((environment, index) => (
            <Cell
              key={environment.id}
              projectId={projectId}
              flag={flag}
              environment={environment}
              column={index + 3}
              isTabStop={focusColumn === index + 2}
              isNarrow={isNarrow}
              onQuestion={onQuestion}
            />
          ))}
          <Details
            flag={flag}
            columns={columns}
            first={firstDetail}
            focusColumn={focusColumn}
            now={now}
            onOwner={onOwner}
          />
          <div role="gridcell" aria-colindex={menuColumn} className={styles.menu}>
            <button
              type="button"
              className={styles.more}
              tabIndex={focusColumn === menuColumn - 1 ? 0 : -1}
              aria-haspopup="menu"
              aria-label={flagsPage.menuOf(flag.key)}
              onClick={({ currentTarget: button }) => onMenu({ flag, button })}
            >
              ⋯
            </button>
          </div>
        </>
      )}
    </div>
  );
});
