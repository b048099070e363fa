/** How hard a password is to guess, by its length and kinds of characters alone. It only advises: the service decides. */
export type Strength = 'weak' | 'fair' | 'strong';

const POOLS: readonly [RegExp, number][] = [
  [/[a-z]/, 26],
  [/[A-Z]/, 26],
  [/[0-9]/, 10],
  [/[\p{P}\p{S}\s]/u, 33],
  [/[^\p{ASCII}]/u, 100],
];

const FAIR_BITS = 50;
const STRONG_BITS = 75;
/** Shorter parts of a name or an address are in many words. */
const SHORTEST_PART = 3;

/** The parts of names and addresses that are in the password. */
export function personalParts(password: string, about: readonly string[]): string[] {
  const lower = password.toLowerCase();
  const parts = about.flatMap(text => text.toLowerCase().split(/[^\p{Letter}\p{Number}]+/u));
  return parts.filter(part => part.length >= SHORTEST_PART && lower.includes(part));
}

/** `about` is what others know of the user: their name and address, which add nothing. */
export function strengthOf(password: string, about: readonly string[] = []): Strength {
  let rest = password.toLowerCase();
  for (const part of personalParts(password, about)) rest = rest.replaceAll(part, '');
  const pool = POOLS.reduce((sum, [kind, size]) => (kind.test(password) ? sum + size : sum), 0);
  const bits = surprises([...rest]) * Math.log2(Math.max(pool, 1));
  return bits < FAIR_BITS ? 'weak' : bits < STRONG_BITS ? 'fair' : 'strong';
}

/** Characters that do not follow from the one before: not the same, the next or the previous. */
function surprises(characters: readonly string[]): number {
  return characters.filter((character, place) => {
    const step = code(character) - code(characters[place - 1] ?? '');
    return place === 0 || Math.abs(step) > 1;
  }).length;
}

function code(character: string): number {
  return character.codePointAt(0) ?? 0;
}
