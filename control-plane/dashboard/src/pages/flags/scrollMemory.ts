/** How far the table was scrolled, for each entry of the history: Back leads to the same rows. */

const MOST = 50;
const offsets = new Map<string, number>();

export function rememberScroll(entry: string, offset: number): void {
  offsets.delete(entry);
  offsets.set(entry, offset);
  const [oldest] = offsets.keys();
  if (offsets.size > MOST && oldest !== undefined) offsets.delete(oldest);
}

export function scrollOf(entry: string): number {
  return offsets.get(entry) ?? 0;
}
