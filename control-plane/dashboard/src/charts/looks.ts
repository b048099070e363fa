/** How lines are told apart: by a pattern of dashes first, by colour second. */

/** Lines that a chart tells apart; more are summed up before. */
export const MOST_LINES = 8;

const DASHES: readonly (readonly number[])[] = [
  [],
  [8, 4],
  [2, 3],
  [9, 3, 2, 3],
  [16, 4],
  [4, 4],
  [1, 5],
  [10, 3, 2, 3, 2, 3],
];

export function dashOf(index: number): readonly number[] {
  return DASHES[index % MOST_LINES] ?? [];
}

/** The token of the colour. */
export function colorOf(index: number): string {
  return `var(--chart-${(index % MOST_LINES) + 1})`;
}
