/** Comma-separated values of what a page shows (RFC 4180). */

export type CsvCell = string | number | boolean | null;

/** Texts that a spreadsheet would calculate. */
const FORMULA = /^[\s\0]*[=+\-@|%]/;

function cell(value: CsvCell): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A table with a head; numbers stay numbers, and no text is read as a formula. */
export function csv(head: readonly string[], rows: readonly (readonly CsvCell[])[]): string {
  return [head, ...rows].map(row => `${row.map(cell).join(',')}\r\n`).join('');
}

/** A file name of plain letters: `insights-checkout-2026-05-04.csv`. */
export function csvName(parts: readonly string[], now: Date): string {
  const words = [...parts, now.toISOString().slice(0, 10)];
  const plain = words.map(word => word.replaceAll(/[^\p{Letter}\p{Number}._-]+/gu, '-').slice(0, 80));
  return `${plain.filter(word => word !== '').join('-')}.csv`;
}
