import type { Segment } from './queries';

/** Those that have the text in their key, name or description, in any case. */
export function searchSegments<T extends Pick<Segment, 'key' | 'name' | 'description'>>(
  segments: readonly T[],
  text: string,
): T[] {
  const wanted = text.trim().toLowerCase();
  return segments.filter(({ key, name, description }) =>
    [key, name, description].some(field => field.toLowerCase().includes(wanted)),
  );
}
