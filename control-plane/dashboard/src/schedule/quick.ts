/** Times that are chosen by a press. */
import { isoOf, localTime, readTime } from './zones';

export const QUICK = ['hour', 'tomorrow'] as const;

const HOUR = 3_600_000;
const MINUTE = 60_000;

/** In an hour, to the minute, or tomorrow at nine in a zone. */
export function quickTime(quick: (typeof QUICK)[number], now: Date, zone?: string): string {
  if (quick === 'hour') return isoOf(Math.floor((now.getTime() + HOUR) / MINUTE) * MINUTE);
  const today = localTime(now.toISOString(), zone).slice(0, 10);
  const tomorrow = new Date(Date.parse(`${today}T00:00Z`) + 24 * HOUR).toISOString().slice(0, 10);
  return readTime(`${tomorrow}T09:00`, zone).iso ?? '';
}
