import type { Uses } from './queries';

/** How many flags use a segment, and in how many environments. */
export function countUses({ flags, total }: Uses): { flags: number; environments: number } {
  return { flags: total, environments: new Set(flags.flatMap(({ env_ids }) => env_ids)).size };
}
