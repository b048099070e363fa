import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { askCommand, countdownOf, daysOf, graceEnd, sortKeys, stateOf, useOf } from './lifetime';
import type { ApiKey } from './queries';

const NOW = Date.parse('2026-11-23T12:00:00Z');

const KEY: ApiKey = {
  id: 'k',
  key_prefix: 'srv_12345678',
  name: 'shop',
  type: 'server',
  created_at: '2026-11-01T00:00:00Z',
  last_used_at: null,
  expires_at: null,
  revoked_at: null,
};

it.each([
  [{}, 'live'],
  [{ expires_at: '2026-11-23T12:00:01Z' }, 'live'],
  [{ expires_at: '2026-11-23T12:00:00Z' }, 'expired'],
  [{ revoked_at: '2026-11-22T12:00:00Z', expires_at: '2026-11-21T12:00:00Z' }, 'revoked'],
])('%j is %s', (dates, state) => {
  expect(stateOf({ ...KEY, ...dates }, NOW)).toBe(state);
});

it.each([
  [null, 'never'],
  ['2026-11-23T11:57:00Z', 'recent'],
  ['2026-11-23T11:44:00Z', 'past'],
])('last used %s: %s', (last_used_at, use) => {
  expect(useOf({ last_used_at }, NOW)).toBe(use);
});

it('a rotation never makes the old key last longer', () => {
  expect(graceEnd(KEY, 24, NOW)).toBe(NOW + 86_400_000);
  expect(graceEnd({ expires_at: '2026-11-23T13:00:00Z' }, 24, NOW)).toBe(NOW + 3_600_000);
});

it('the last two days of a key are counted down', () => {
  expect(countdownOf({ ...KEY, expires_at: '2026-11-24T12:00:00Z' }, NOW)).toBe(NOW + 86_400_000);
  expect(countdownOf({ ...KEY, expires_at: '2026-11-30T12:00:00Z' }, NOW)).toBeNull();
  expect(countdownOf({ ...KEY, expires_at: '2026-11-22T12:00:00Z' }, NOW)).toBeNull();
  expect(
    countdownOf({ ...KEY, expires_at: '2026-11-24T12:00:00Z', revoked_at: KEY.created_at }, NOW),
  ).toBeNull();
});

it('usable keys come newest first, ended ones by their end', () => {
  const keys = [
    { ...KEY, id: 'old' },
    { ...KEY, id: 'revoked', revoked_at: '2026-11-20T00:00:00Z' },
    { ...KEY, id: 'new', created_at: '2026-11-02T00:00:00Z' },
    { ...KEY, id: 'expired', expires_at: '2026-11-22T00:00:00Z' },
  ];
  const { live, ended } = sortKeys(keys, NOW);
  expect(live.map(({ id }) => id)).toEqual(['new', 'old']);
  expect(ended.map(({ id }) => id)).toEqual(['expired', 'revoked']);
});

it.each([
  ['1', 1],
  ['3650', 3650],
  ['0', undefined],
  ['3651', undefined],
  ['1.5', undefined],
  ['', undefined],
])('%j days: %s', (text, days) => {
  expect(daysOf(text)).toBe(days);
});

it('the command is that of the guide, which a test runs', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../../../../docs/first-flag.md'), 'utf8');
  const [line] = askCommand('$HALYARD_EDGE_URL', '$key', 'new-checkout').split('\n');
  expect(guide).toContain(line);
});
