import { ago, number, plural } from '../../../messages/format';

/** Where code names the flag. */
export const references = {
  title: () => 'In code',
  none: () =>
    'No scan of a repository found this flag. Scan with "halyardctl refs scan", best after each push to the main branch.',
  text: (total: number) =>
    `${plural(total, 'line', 'lines')} of code, as of the last scan of each repository.`,
  scanned: (commit: string | null, at: string, now: number) =>
    `${commit === null ? 'Scanned' : `Scanned at ${commit.slice(0, 8)}`} ${ago(at, now)}`,
  place: (path: string, line: number) => `${path}:${line}`,
  as: (alias: string) => `as ${alias}`,
  more: () => 'Show more',
  of: (shown: number, total: number) => `${number(shown)} of ${number(total)} shown.`,
};
