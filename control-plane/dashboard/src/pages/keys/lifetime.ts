/** The meaning of a key's dates. */
import type { ApiKey } from './queries';

export type KeyState = 'live' | 'expired' | 'revoked';

export function stateOf(key: Pick<ApiKey, 'expires_at' | 'revoked_at'>, now: number): KeyState {
  if (key.revoked_at !== null) return 'revoked';
  if (key.expires_at !== null && Date.parse(key.expires_at) <= now) return 'expired';
  return 'live';
}

/** Uses are recorded to the minute, and a program that follows flags asks every few minutes at most. */
const RECENT_MS = 15 * 60_000;

export type Use = 'never' | 'recent' | 'past';

/** Whether a program probably depends on the key now. */
export function useOf(key: Pick<ApiKey, 'last_used_at'>, now: number): Use {
  if (key.last_used_at === null) return 'never';
  return now - Date.parse(key.last_used_at) <= RECENT_MS ? 'recent' : 'past';
}

/** When the old key ends after a rotation: its own end stays when that is sooner. */
export function graceEnd(key: Pick<ApiKey, 'expires_at'>, hours: number, now: number): number {
  const end = now + hours * 3_600_000;
  return key.expires_at === null ? end : Math.min(end, Date.parse(key.expires_at));
}

/** Below this span before its end a key is counted down. */
const COUNTED_MS = 48 * 3_600_000;

/** The moment to count down to, in milliseconds; `null` where a date is enough. */
export function countdownOf(key: Pick<ApiKey, 'expires_at' | 'revoked_at'>, now: number): number | null {
  if (key.expires_at === null || stateOf(key, now) !== 'live') return null;
  const end = Date.parse(key.expires_at);
  return end - now <= COUNTED_MS ? end : null;
}

/** Those that can be used, newest first, or the ended ones, last ended first. */
export function sortKeys(keys: readonly ApiKey[], now: number): { live: ApiKey[]; ended: ApiKey[] } {
  const live = keys.filter(key => stateOf(key, now) === 'live');
  const ended = keys.filter(key => stateOf(key, now) !== 'live');
  return {
    live: live.sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at)),
    ended: ended.sort((a, b) => endOf(b) - endOf(a)),
  };
}

function endOf(key: ApiKey): number {
  return Date.parse(key.revoked_at ?? key.expires_at ?? key.created_at);
}

/** The end of a new key in days; `null` for never, `undefined` for what the service does not take. */
export function daysOf(text: string): number | undefined {
  const days = Number(text);
  return /^\d{1,4}$/.test(text.trim()) && days >= 1 && days <= 3650 ? days : undefined;
}

/** The command that asks for a flag with a key, as `docs/first-flag.md` has it. */
export function askCommand(address: string, key: string, flag: string): string {
  return [
    `curl -s "${address}/v1/evaluate" -H "X-API-Key: ${key}" -H 'Content-Type: application/json' \\`,
    `  -d '{"flag_key": "${flag}", "context": {"key": "user-1"}}'`,
  ].join('\n');
}
