import type { Part } from '../../changeSets/queries';
import { words } from './messages';
import type { Conflict } from './queries';

/** A thing by its key, a state with its environment. */
export function nameOf({ kind, key, env_slug }: Pick<Part, 'kind' | 'key' | 'env_slug'>): string {
  return kind === 'state' && env_slug ? words.stateOf(key, env_slug) : key;
}

/** The conflicts of a thing. */
export function conflictsOf(
  { kind, key, env_slug }: Pick<Part, 'kind' | 'key' | 'env_slug'>,
  conflicts: readonly Conflict[],
): Conflict[] {
  return conflicts.filter(one => one.kind === kind && one.key === key && one.env_slug === env_slug);
}

/** The slugs of the environments that parts change; `null` for all, as a flag or a segment does. */
export function environmentsOf(
  parts: readonly Pick<Part, 'kind' | 'key' | 'env_slug'>[],
): Set<string> | null {
  const slugs = new Set<string>();
  for (const { kind, key, env_slug } of parts) {
    if (kind === 'environment') slugs.add(key);
    else if (env_slug) slugs.add(env_slug);
    else return null;
  }
  return slugs;
}
