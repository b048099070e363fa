/** Rules of the form for a new flag; the service checks them all again. */

const MOST_CHARACTERS = 255;

/** The key that a name suggests: what keys may have is kept, everything else becomes a hyphen. */
export function keyOf(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9._~]+/g, '-')
    .replaceAll(/^[^a-z0-9]+|-+$/g, '')
    .slice(0, MOST_CHARACTERS);
}

/** Tags as they are typed, with commas between: trimmed, each once, in their order. */
export function tagsOf(typed: string): string[] {
  const tags = typed.split(',').map(tag => tag.trim());
  return [...new Set(tags.filter(tag => tag !== ''))];
}
