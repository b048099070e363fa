import type { Context } from './context';
import { fragmentOf } from './fragment';

/** The address of this tab with a context in its fragment; a draft is not in it. */
export function linkTo(context: Context, version: number | null, envSlug: string): string {
  const { origin, pathname } = window.location;
  const search = new URLSearchParams({ env: envSlug, tab: 'explain' });
  if (version !== null) search.set('version', String(version));
  return `${origin}${pathname}?${search}${fragmentOf(context)}`;
}
