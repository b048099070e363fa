import { mayToggle } from '../session/permissions';

/**
 * Whether the environment's slug has to be typed; `null` while it is loading. If that fails it has to be typed: a kill
 * is neither careless nor held back.
 */
export function hasToType(
  envId: string,
  guarded: { data?: readonly string[] | undefined; isError: boolean },
): boolean | null {
  if (guarded.data !== undefined) return guarded.data.includes(envId);
  return guarded.isError ? true : null;
}

/** Whether what was killed can be turned on again: it was on, and this person may switch there. */
export function mayTurnOn(me: Parameters<typeof mayToggle>[0], envId: string, wasOn: boolean) {
  return wasOn && mayToggle(me, envId);
}
