/** How much is lost with the organization. */

/** Projects that are looked into: each costs a few requests. */
export const MOST_PROJECTS = 10;
/** Environments whose keys are counted. */
export const MOST_ENVIRONMENTS = 20;
const HOUR_MS = 3_600_000;

interface Key {
  last_used_at: string | null;
  revoked_at: string | null;
}

/** The keys that programs used within the last hour. */
export function inUse(keys: readonly Key[], nowMs: number): number {
  return keys.filter(
    ({ last_used_at, revoked_at }) =>
      revoked_at === null && last_used_at !== null && nowMs - Date.parse(last_used_at) < HOUR_MS,
  ).length;
}

interface Report {
  series: readonly { points: readonly (readonly number[])[] }[];
  left_out: { evaluations: number };
}

/** The evaluations that a report counts. */
export function evaluationsOf({ series, left_out }: Report): number {
  const counts = series.flatMap(({ points }) => points.map(([, count = 0]) => count));
  return counts.reduce((sum, count) => sum + count, left_out.evaluations);
}
