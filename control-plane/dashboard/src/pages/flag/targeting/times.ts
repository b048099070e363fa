/** Points in time as fields for local date and time have them: in the browser's zone, without saying so. */

import type { StateDraft } from '../../../api/model';

/** An instant as `2026-11-24T09:00`, with seconds where it has any. */
export function localTime(iso: string): string {
  const at = new Date(iso);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = [String(at.getFullYear()).padStart(4, '0'), two(at.getMonth() + 1), two(at.getDate())].join(
    '-',
  );
  const seconds = at.getSeconds() === 0 ? '' : `:${two(at.getSeconds())}`;
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}${seconds}`;
}

/** The instant of a local time; `null` while the field is not filled in. */
export function instant(local: string): string | null {
  const at = new Date(local);
  return local === '' || Number.isNaN(at.getTime()) ? null : at.toISOString().replace('.000Z', 'Z');
}

/** The browser's zone with its distance from UTC at a time: `Europe/Berlin, UTC+01:00`. */
export function zoneName(at: Date): string {
  const minutes = -at.getTimezoneOffset();
  const two = (value: number) => String(value).padStart(2, '0');
  const distance = `${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return minutes === 0 ? timeZone : `${timeZone}, UTC${minutes < 0 ? '−' : '+'}${distance}`;
}

export const QUICK = ['hour', 'tomorrow'] as const;

/** A time that is chosen by a press: in an hour, to the minute, or tomorrow at nine. */
export function quickTime(quick: (typeof QUICK)[number], now: Date): string {
  const at = new Date(now);
  if (quick === 'hour') {
    at.setHours(at.getHours() + 1, at.getMinutes(), 0, 0);
  } else {
    at.setDate(at.getDate() + 1);
    at.setHours(9, 0, 0, 0);
  }
  return at.toISOString().replace('.000Z', 'Z');
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
