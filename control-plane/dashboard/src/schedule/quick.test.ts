import { expect, it } from 'vitest';
import { quickTime } from './quick';
import { localTime } from './zones';

it('quick choices are an hour from now, and tomorrow at nine', () => {
  const now = new Date(2026, 11, 31, 23, 30, 12, 345);
  expect(localTime(quickTime('hour', now))).toBe('2027-01-01T00:30');
  expect(localTime(quickTime('tomorrow', now))).toBe('2027-01-01T09:00');
  // Tomorrow is another day elsewhere.
  const late = new Date('2026-12-30T20:00:00Z');
  expect(quickTime('tomorrow', late, 'Asia/Tokyo')).toBe('2027-01-01T00:00:00Z');
  expect(quickTime('tomorrow', late, 'America/New_York')).toBe('2026-12-31T14:00:00Z');
});
