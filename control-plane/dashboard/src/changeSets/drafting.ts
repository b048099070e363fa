/** Edits of a draft: what a page adds to them, and the versions that they were compared with. */
import type { StatePatch } from '../flagState/patch';
import type { Changes, Part } from './queries';

/** The state of a flag that is to change. */
export interface StateEdit {
  flagKey: string;
  envSlug: string;
  fields: StatePatch;
}

/** The edits with these fields of a state in addition: a field that was there already becomes what it is now. */
export function withState(changes: Changes, { flagKey, envSlug, fields }: StateEdit): Changes {
  const flags = changes.flags ?? [];
  const flag = flags.find(({ key }) => key === flagKey) ?? { key: flagKey };
  const states = { ...flag.states, [envSlug]: { ...flag.states?.[envSlug], ...fields } };
  const edited = { ...flag, states };
  const isThere = flags.includes(flag);
  return {
    ...changes,
    flags: isThere ? flags.map(one => (one === flag ? edited : one)) : [...flags, edited],
  };
}

/** Where a thing is in the edits, as the service names it. */
export function placeOf({ kind, key, env_slug }: Pick<Part, 'kind' | 'key' | 'env_slug'>): string {
  return env_slug === null || env_slug === undefined ? `${kind}s.${key}` : `flags.${key}.states.${env_slug}`;
}

/** The versions of things as somebody saw them: with these, what has changed since is refused. */
export function versionsOf(parts: readonly Part[]): Record<string, number> {
  return Object.fromEntries(parts.map(part => [placeOf(part), part.version]));
}
