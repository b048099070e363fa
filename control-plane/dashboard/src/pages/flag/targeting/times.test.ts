import { expect, it } from 'vitest';
import { readTime } from '../../../schedule/zones';
import { doesNothing } from './times';

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
