import type { Uses } from './queries';

/** How many flags use a segment, and in how many environments. */
export function countUses({ flags, total }: Uses): { flags: number; environments: number } {
  return { flags: total, environments: new Set(flags.flatMap(({ env_ids }) => env_ids)).size };
}

/** Whether a flag of an environment uses it. */
export function isUsedIn({ flags }: Uses, envId: string): boolean {
  return flags.some(({ env_ids }) => env_ids.includes(envId));
}
