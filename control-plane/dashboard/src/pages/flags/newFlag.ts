/** Rules of the form for a new flag; the service checks them all again. */
import type { FlagType } from '../../api/model';
import { type Read, readValue } from '../../flagState/values';

/** Tags as they are typed, with commas between: trimmed, each once, in their order. */
export function tagsOf(typed: string): string[] {
  const tags = typed.split(',').map(tag => tag.trim());
  return [...new Set(tags.filter(tag => tag !== ''))];
}

/** The default value as it is typed; nothing typed leaves it to the type. */
export function firstValueOf(type: FlagType, typed: string): Read | null {
  return typed.trim() === '' ? null : readValue(type, typed, true);
}
