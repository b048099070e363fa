import { PAGE_SIZE } from './queries';

/** The pages that hold the rows. The first page is always one: it has the total. */
export function pagesOf(rows: readonly number[]): number[] {
  const pages = new Set([0, ...rows.map(row => Math.floor(row / PAGE_SIZE))]);
  return [...pages].sort((a, b) => a - b);
}
