/** The meaning of a token's dates. */
import type { AccessToken } from './queries';

const DAY_MS = 86_400_000;
/** Below this span before its end a token is marked. */
const SOON_MS = 14 * DAY_MS;
/** The longest that the service takes, less a little: the browser's clock may be ahead of the service's. */
const LONGEST_MS = 365 * DAY_MS - 3_600_000;

export type Ending = 'later' | 'soon' | 'ended';

export function endingOf({ expires_at }: Pick<AccessToken, 'expires_at'>, now: number): Ending {
  const left = Date.parse(expires_at) - now;
  if (left <= 0) return 'ended';
  return left <= SOON_MS ? 'soon' : 'later';
}

/** Those that can be used come first, newest first. */
export function sortTokens(tokens: readonly AccessToken[], now: number): AccessToken[] {
  const rank = (token: AccessToken) => (endingOf(token, now) === 'ended' ? 1 : 0);
  return [...tokens].sort((a, b) => rank(a) - rank(b) || Date.parse(b.created_at) - Date.parse(a.created_at));
}

/** The end of a new token after a number of days. */
export function endAfter(days: number, now: number): string {
  return new Date(now + Math.min(days * DAY_MS, LONGEST_MS)).toISOString();
}

/** The end of a new token that lasts through a day, as `2027-01-31`; `null` for what the service does not take. */
export function endOfDay(day: string, now: number): string | null {
  const begin = new Date(`${day}T00:00`);
  const end = new Date(begin);
  end.setDate(end.getDate() + 1);
  if (Number.isNaN(end.getTime()) || end.getTime() <= now || begin.getTime() > now + LONGEST_MS) return null;
  return new Date(Math.min(end.getTime(), now + LONGEST_MS)).toISOString();
}

/** When the old token ends after a rotation: its own end stays when that is sooner. */
export function overlapEnd(token: Pick<AccessToken, 'expires_at'>, hours: number, now: number): string {
  return new Date(Math.min(now + hours * 3_600_000, Date.parse(token.expires_at))).toISOString();
}
