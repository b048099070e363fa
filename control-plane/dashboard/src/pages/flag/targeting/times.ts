/** Scheduled times: quick choices, and those that do nothing. */
import type { StateDraft } from '../../../api/model';
import { isoOf, localTime, readTime } from './zones';

export const QUICK = ['hour', 'tomorrow'] as const;

const HOUR = 3_600_000;
const MINUTE = 60_000;

/** A time that is chosen by a press: in an hour, to the minute, or tomorrow at nine in a zone. */
export function quickTime(quick: (typeof QUICK)[number], now: Date, zone?: string): string {
  if (quick === 'hour') return isoOf(Math.floor((now.getTime() + HOUR) / MINUTE) * MINUTE);
  const today = localTime(now.toISOString(), zone).slice(0, 10);
  const tomorrow = new Date(Date.parse(`${today}T00:00Z`) + 24 * HOUR).toISOString().slice(0, 10);
  return readTime(`${tomorrow}T09:00`, zone).iso ?? '';
}

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
