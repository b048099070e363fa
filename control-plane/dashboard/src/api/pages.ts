/** Lists that the service gives in pages. */

/** Items that one request asks for: as many as the service gives. */
export const MOST_PER_PAGE = 100;
/** Pages that a list without end is read for. */
const MOST_PAGES = 10;

interface Page<T> {
  data: T[];
  total: number;
  has_more: boolean;
}

export interface Listed<T> {
  items: T[];
  /** How many there are, which may be more than were read. */
  total: number;
}

/** The items of all pages, up to the first thousand. */
export async function everyPage<T>(
  page: (query: { limit: number; offset: number }) => Promise<Page<T>>,
): Promise<Listed<T>> {
  const items: T[] = [];
  for (let at = 0; at < MOST_PAGES; at += 1) {
    const { data, total, has_more } = await page({ limit: MOST_PER_PAGE, offset: at * MOST_PER_PAGE });
    items.push(...data);
    if (!has_more || at === MOST_PAGES - 1) return { items, total };
  }
  return { items, total: items.length };
}
