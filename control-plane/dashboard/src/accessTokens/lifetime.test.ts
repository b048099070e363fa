import { expect, it } from 'vitest';
import { endAfter, endingOf, endOfDay, overlapEnd, sortTokens } from './lifetime';
import type { AccessToken } from './queries';

const NOW = Date.parse('2026-11-26T12:00:00Z');

const TOKEN: AccessToken = {
  id: 't',
  name: 'deploy',
  role: null,
  project_ids: null,
  env_ids: null,
  read_only: false,
  created_at: '2026-11-01T00:00:00Z',
  expires_at: '2027-01-30T00:00:00Z',
  last_used_at: null,
  last_used_ip: null,
};

it.each([
  ['2027-01-30T00:00:00Z', 'later'],
  ['2026-12-10T12:00:00Z', 'soon'],
  ['2026-11-26T12:00:01Z', 'soon'],
  ['2026-11-26T12:00:00Z', 'ended'],
])('a token that expires at %s: %s', (expires_at, ending) => {
  expect(endingOf({ expires_at }, NOW)).toBe(ending);
});

it('usable tokens come first, each kind newest first', () => {
  const ended = { ...TOKEN, expires_at: '2026-11-20T00:00:00Z', created_at: '2026-11-19T00:00:00Z' };
  const tokens = [
    { ...ended, id: 'ended' },
    { ...TOKEN, id: 'old' },
    { ...TOKEN, id: 'new', created_at: '2026-11-02T00:00:00Z' },
  ];
  expect(sortTokens(tokens, NOW).map(({ id }) => id)).toEqual(['new', 'old', 'ended']);
});

it('a year is a little shorter, for a clock that is ahead', () => {
  expect(endAfter(30, NOW)).toBe('2026-12-26T12:00:00.000Z');
  expect(endAfter(365, NOW)).toBe('2027-11-26T11:00:00.000Z');
});

it('a token lasts through its last day, of the reader’s zone', () => {
  const noon = new Date('2026-11-26T12:00').getTime();
  expect(endOfDay('2026-11-26', noon)).toBe(new Date('2026-11-27T00:00').toISOString());
  expect(endOfDay('2027-01-31', noon)).toBe(new Date('2027-02-01T00:00').toISOString());
  expect(endOfDay('2027-11-26', noon)).toBe(endAfter(365, noon));
});

it.each(['', 'tomorrow', '2026-11-25', '2027-11-27'])('%j is no last day', day => {
  expect(endOfDay(day, new Date('2026-11-26T12:00').getTime())).toBeNull();
});

it('a rotation never makes the old token last longer', () => {
  expect(overlapEnd(TOKEN, 24, NOW)).toBe('2026-11-27T12:00:00.000Z');
  expect(overlapEnd({ expires_at: '2026-11-26T13:00:00Z' }, 24, NOW)).toBe('2026-11-26T13:00:00.000Z');
});
