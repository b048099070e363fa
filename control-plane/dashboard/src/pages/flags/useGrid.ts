import {
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { type Command, useCommands } from '../../frame/commands';
import { warn } from '../../ui/say';
import { movedBy, type Position, within } from './gridCells';
import { flagsPage } from './messages';

interface GridOptions {
  rows: number;
  columns: number;
  /** Rows that fit into the view. */
  page: number;
  /** The element that scrolls; it has the focus while a row is not drawn yet. */
  grid: RefObject<HTMLElement | null>;
  /** Brings a row that is not drawn into view. */
  scrollTo: RefObject<(row: number) => void>;
}

/**
 * The keyboard in the table: one of its cells is a tab stop, arrows lead from cell to cell, `j` and `k` from row to
 * row, and `e` switches. A row that is not drawn yet gets the focus when it is; the table itself holds it until then.
 */
export function useGrid({ rows, columns, page, grid, scrollTo }: GridOptions) {
  const [chosen, setPlace] = useState<Position>({ row: 0, column: 2 });
  const isWanted = useRef(false);
  const isFar = useRef(false);
  const place = within(chosen, { rows, columns });

  const moveTo = useCallback(
    (next: Position) => {
      setPlace(next);
      isWanted.current = true;
      if (cellAt(grid.current, next) === null) {
        isFar.current = true;
        grid.current?.focus({ preventScroll: true });
        scrollTo.current(next.row);
      }
    },
    [grid, scrollTo],
  );

  useEffect(() => {
    if (!isWanted.current) return;
    const cell = cellAt(grid.current, place);
    if (cell === null) return;
    isWanted.current = false;
    focusable(cell).focus({ preventScroll: true });
    cell.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    if (isFar.current) settle(cell);
    isFar.current = false;
  });

  const move = (key: string, withControl: boolean): boolean => {
    const next = movedBy(key, withControl, place, { rows, columns, page });
    if (next !== null) moveTo(next);
    return next !== null;
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.metaKey || event.shiftKey) return;
    if (move(event.key, event.ctrlKey)) event.preventDefault();
  };

  const onFocus = (event: FocusEvent) => {
    const found = placeOf(event.target);
    if (found !== null && (found.row !== place.row || found.column !== place.column)) setPlace(found);
  };

  const now = useRef(move);
  useEffect(() => {
    now.current = move;
  });
  useCommands(
    useMemo<Command[]>(() => {
      // The first key only goes to the table; from there on the keys move.
      const go = (key: string) =>
        now.current(grid.current?.contains(document.activeElement) ? key : '', false);
      const row = (key: string) => {
        if (!go(key)) focusTabStop(grid.current);
      };
      return [
        {
          id: 'next-flag',
          title: flagsPage.next(),
          section: 'actions',
          keys: 'j',
          run: () => row('ArrowDown'),
        },
        {
          id: 'previous-flag',
          title: flagsPage.previous(),
          section: 'actions',
          keys: 'k',
          run: () => row('ArrowUp'),
        },
        {
          id: 'switch-flag',
          title: flagsPage.switchFocused(),
          section: 'actions',
          keys: 'e',
          run: pressFocused,
        },
        {
          id: 'select-flag',
          title: flagsPage.selectFocused(),
          section: 'actions',
          keys: 'x',
          run: selectFocused,
        },
      ];
    }, [grid]),
  );

  return { place, onKeyDown, onFocus };
}

function cellAt(grid: HTMLElement | null, { row, column }: Position): HTMLElement | null {
  return (
    grid?.querySelector<HTMLElement>(`[aria-rowindex="${row + 2}"] > [aria-colindex="${column + 1}"]`) ?? null
  );
}

function placeOf(element: Element): Position | null {
  const cell = element.closest('[aria-colindex]');
  const row = cell?.closest('[aria-rowindex]');
  if (!cell || !row) return null;
  return { row: Number(row.ariaRowIndex) - 2, column: Number(cell.ariaColIndex) - 1 };
}

/** The control of a cell, or the cell itself where there is none. */
function focusable(cell: HTMLElement): HTMLElement {
  return cell.querySelector<HTMLElement>('a, input, button') ?? cell;
}

/** Rows far away get their heights only when they are drawn, and move what is below them: it is followed until then. */
function settle(cell: HTMLElement, frames = 30): void {
  if (frames === 0 || !cell.contains(document.activeElement)) return;
  cell.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  requestAnimationFrame(() => settle(cell, frames - 1));
}

function focusTabStop(grid: HTMLElement | null): void {
  grid?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
}

/** The flag of the row that has the focus. */
function selectFocused(): void {
  const row = document.activeElement?.closest('[aria-rowindex]');
  row?.querySelector<HTMLElement>('input[type=checkbox]')?.click();
}

function pressFocused(): void {
  const focused = document.activeElement;
  if (!(focused instanceof HTMLElement)) return;
  if (focused.role === 'switch') focused.click();
  // Its title says why there is none.
  else if (focused.role === 'gridcell') warn(focused.title);
}
