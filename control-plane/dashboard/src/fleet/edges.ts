/** The names in a header that lists edges, separated by commas. */
export function names(header: string | null): string[] {
  if (header === null) return [];
  return header
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '');
}
