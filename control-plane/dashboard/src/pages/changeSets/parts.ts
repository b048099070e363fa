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
