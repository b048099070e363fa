/** Slugs of projects and environments; the service checks them all again. */

const MOST_CHARACTERS = 100;

/** The slug that a name suggests: letters and digits in lower case, hyphens for everything else. */
export function slugOf(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MOST_CHARACTERS)
    .replaceAll(/^-+|-+$/g, '');
}
