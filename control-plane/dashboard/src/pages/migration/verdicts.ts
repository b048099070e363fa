/** What becomes of the items of a source, as lists and files. */
import type { CsvCell } from '../../parts/csv';
import type { Counts, Item, Verdict } from './queries';

export const VERDICTS: readonly Verdict[] = ['exact', 'approximated', 'skipped'];

export interface Filter {
  verdict: Verdict | null;
  text: string;
}

/** The items that a filter leaves: all words, in name, key or reasons. */
export function matching(items: readonly Item[], { verdict, text }: Filter): Item[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter(word => word !== '');
  return items.filter(item => {
    if (verdict !== null && item.verdict !== verdict) return false;
    if (words.length === 0) return true;
    const all = [item.source, item.key ?? '', ...item.reasons].join('\n').toLowerCase();
    return words.every(word => all.includes(word));
  });
}

export function total({ exact, approximated, skipped }: Counts): number {
  return exact + approximated + skipped;
}

/** Items that are not exact: those to read before anything is written. */
export function toRead({ approximated, skipped }: Counts): number {
  return approximated + skipped;
}

/** A reason as a sentence: the service marks those of approximations. */
export function reasonOf(reason: string): string {
  return reason.replace(/^warning: /, '');
}

export function csvRows(items: readonly Item[]): CsvCell[][] {
  return items.map(({ kind, source, key, verdict, reasons }) => [
    kind,
    source,
    key,
    verdict,
    reasons.map(reasonOf).join('\n'),
  ]);
}
