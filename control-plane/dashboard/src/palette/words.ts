/** The meaning of the palette's text, and the target of its keys. */

const PAGE = 8;

/** Whether each word that was typed is somewhere in the title. */
export function matches(title: string, typed: string): boolean {
  const where = plain(title);
  return plain(typed)
    .split(/\s+/)
    .every(word => where.includes(word));
}

/** Without case and accents. */
function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .trim();
}

export type Verb = 'enable' | 'disable' | 'kill';

export interface Action {
  verb: Verb;
  /** A part of the flag's key or name; empty while it is not typed yet. */
  flag: string;
  /** A part of the environment's name or slug; empty for all. */
  environment: string;
}

const VERBS: readonly [RegExp, Verb][] = [
  [/^(?:enable|(?:turn|switch) on)\s+/i, 'enable'],
  [/^(?:disable|(?:turn|switch) off)\s+/i, 'disable'],
  [/^kill\s+/i, 'kill'],
];

/** Reads "disable checkout in staging"; `null` for a text that is no action. */
export function readAction(typed: string): Action | null {
  const text = typed.trimStart();
  for (const [pattern, verb] of VERBS) {
    const found = pattern.exec(text);
    if (found === null) continue;
    const rest = text.slice(found[0].length).trim();
    // The last " in " divides, so that a name may have one.
    const divided = /^(.*\S)\s+in(?:\s+(.*))?$/i.exec(rest);
    return { verb, flag: divided?.[1] ?? rest, environment: divided?.[2] ?? '' };
  }
  return null;
}

/** The environments that an action means: those whose name or slug begins with the text, else those that contain it. */
export function meant<T extends { name: string; slug: string }>(
  environments: readonly T[],
  typed: string,
): readonly T[] {
  const text = plain(typed);
  const beginning = environments.filter(({ name, slug }) =>
    [name, slug].some(word => plain(word).startsWith(text)),
  );
  if (beginning.length > 0) return beginning;
  return environments.filter(({ name, slug }) => [name, slug].some(word => plain(word).includes(text)));
}

/** Where a key leads in a list of `count`, round its ends; `null` for a key that does not move. */
export function moved(key: string, from: number, count: number): number | null {
  if (count === 0) return null;
  switch (key) {
    case 'ArrowDown':
      return (from + 1) % count;
    case 'ArrowUp':
      return (from - 1 + count) % count;
    case 'PageDown':
      return Math.min(from + PAGE, count - 1);
    case 'PageUp':
      return Math.max(from - PAGE, 0);
    default:
      return null;
  }
}
