import { expect, it } from 'vitest';
import { doesNothing, quickTime } from './times';
import { localTime, readTime } from './zones';

it('quick choices are an hour from now, and tomorrow at nine', () => {
  const now = new Date(2026, 11, 31, 23, 30, 12, 345);
  expect(localTime(quickTime('hour', now))).toBe('2027-01-01T00:30');
  expect(localTime(quickTime('tomorrow', now))).toBe('2027-01-01T09:00');
  // Tomorrow is another day elsewhere.
  const late = new Date('2026-12-30T20:00:00Z');
  expect(quickTime('tomorrow', late, 'Asia/Tokyo')).toBe('2027-01-01T00:00:00Z');
  expect(quickTime('tomorrow', late, 'America/New_York')).toBe('2026-12-31T14:00:00Z');
});

it('a time that finds the flag as it makes it does nothing', () => {
  const state = (enabled: boolean, enableAt: string | null, disableAt: string | null) => ({
    enabled,
    scheduled_enable_at: enableAt && readTime(enableAt).iso,
    scheduled_disable_at: disableAt && readTime(disableAt).iso,
  });
  const [early, late] = ['2026-12-24T09:00', '2026-12-25T09:00'];
  expect(doesNothing(state(true, early, null))).toBe('enable');
  expect(doesNothing(state(true, early, late))).toBe('enable');
  expect(doesNothing(state(true, late, early))).toBeNull();
  expect(doesNothing(state(true, null, early))).toBeNull();
  expect(doesNothing(state(false, early, late))).toBeNull();
  expect(doesNothing(state(false, late, early))).toBe('disable');
  expect(doesNothing(state(false, null, early))).toBe('disable');
});
