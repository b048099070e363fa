/** In which part of its life a flag is, from what the overview has. */
import type { OverviewFlag } from './overview';

export type Status = 'new' | 'active' | 'stale' | 'permanent';

const NEW_FOR_MS = 7 * 86_400_000;

export function statusOf(
  flag: Pick<OverviewFlag, 'stale' | 'permanent' | 'created_at' | 'last_evaluated_at'>,
  now: number,
): Status {
  if (flag.stale) return 'stale';
  if (flag.permanent) return 'permanent';
  const isYoung = now - Date.parse(flag.created_at) < NEW_FOR_MS;
  return isYoung && flag.last_evaluated_at === null ? 'new' : 'active';
}
