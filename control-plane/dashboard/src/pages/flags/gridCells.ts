/** Where the keyboard is in the table of flags, and where its keys lead. */

export interface Position {
  row: number;
  /** 0 selects, 1 is the flag, then come the environments, the other columns and the menu. */
  column: number;
}

interface Size {
  rows: number;
  columns: number;
  /** Rows that a page key moves by. */
  page: number;
}

/** The place inside of the table that is nearest to `place`. */
export function within(place: Position, size: Pick<Size, 'rows' | 'columns'>): Position {
  return {
    row: Math.max(0, Math.min(place.row, size.rows - 1)),
    column: Math.max(0, Math.min(place.column, size.columns - 1)),
  };
}

/** Where a key leads from `place`; `null` when the table has no use for it. */
export function movedBy(key: string, withControl: boolean, place: Position, size: Size): Position | null {
  const { row, column } = place;
  switch (key) {
    case 'ArrowDown':
      return within({ row: row + 1, column }, size);
    case 'ArrowUp':
      return within({ row: row - 1, column }, size);
    case 'ArrowRight':
      return within({ row, column: column + 1 }, size);
    case 'ArrowLeft':
      return within({ row, column: column - 1 }, size);
    case 'PageDown':
      return within({ row: row + size.page, column }, size);
    case 'PageUp':
      return within({ row: row - size.page, column }, size);
    case 'Home':
      return within({ row: withControl ? 0 : row, column: 0 }, size);
    case 'End':
      return within({ row: withControl ? size.rows - 1 : row, column: size.columns - 1 }, size);
    default:
      return null;
  }
}
