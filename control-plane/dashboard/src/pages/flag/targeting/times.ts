/** Scheduled times that do nothing. */
import type { StateDraft } from '../../../api/model';

/** The scheduled time that finds the flag as it makes it; `null` if none does. */
export function doesNothing({
  enabled,
  scheduled_enable_at: enableAt,
  scheduled_disable_at: disableAt,
}: Pick<StateDraft, 'enabled' | 'scheduled_enable_at' | 'scheduled_disable_at'>):
  | 'enable'
  | 'disable'
  | null {
  const comesFirst = (one: string, other: string | null) =>
    other === null || Date.parse(one) <= Date.parse(other);
  if (enabled && enableAt !== null && comesFirst(enableAt, disableAt)) return 'enable';
  if (!enabled && disableAt !== null && comesFirst(disableAt, enableAt)) return 'disable';
  return null;
}
