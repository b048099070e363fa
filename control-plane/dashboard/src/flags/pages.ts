import { PAGE_SIZE } from './queries';

/** The pages that hold the rows from `first` to `last`, both included. The first page is always one: it has the total. */
export function pagesOf(first: number, last: number): number[] {
  const pages = new Set([0]);
  for (let page = Math.floor(first / PAGE_SIZE); page <= Math.floor(last / PAGE_SIZE); page += 1)
    pages.add(page);
  return [...pages].sort((a, b) => a - b);
}
