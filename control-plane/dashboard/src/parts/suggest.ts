/** Keys and slugs that a name suggests; the service checks them all again. */

const LONGEST_KEY = 255;
const LONGEST_SLUG = 100;

/** For flags and segments: what keys may have is kept, in lower case, and everything else becomes a hyphen. */
export function keyOf(name: string): string {
  return suggested(name, /[^a-z0-9._~]+/g, LONGEST_KEY).replace(/^[._~-]+/, '');
}

/** For projects and environments: letters and digits in lower case, hyphens for everything else. */
export function slugOf(name: string): string {
  return suggested(name, /[^a-z0-9]+/g, LONGEST_SLUG);
}

function suggested(name: string, others: RegExp, longest: number): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(others, '-')
    .replace(/^-+/, '')
    .slice(0, longest)
    .replace(/-+$/, '');
}
