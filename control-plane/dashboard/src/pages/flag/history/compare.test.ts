import { expect, it } from 'vitest';
import { draftOf } from '../../../flagState/draft';
import { restored, sidesOf, versionBefore } from './compare';

it.each([
  [7, undefined, 5, [5, 7]],
  [7, undefined, undefined, ['beginning', 7]],
  [7, 'now', 5, [7, 'now']],
  [7, 3, 5, [3, 7]],
  [7, 9, 5, [7, 9]],
] as const)('version %s against %s, before it %s', (version, against, before, sides) => {
  expect(sidesOf(version, against, before)).toEqual(sides);
});

it('finds the version before, which need not be the one less', () => {
  const listed = [{ version: 9 }, { version: 6 }, { version: 5 }];
  expect(versionBefore(listed, 9)).toBe(6);
  expect(versionBefore(listed, 8)).toBe(6);
  expect(versionBefore(listed, 5)).toBeUndefined();
});

it('restoring leaves out times that have passed', () => {
  const state = {
    ...draftOf({ enabled: false }),
    id: '1',
    updated_at: '2026-01-01T00:00:00Z',
    scheduled_enable_at: '2026-01-02T00:00:00Z',
    scheduled_disable_at: '2026-01-03T00:00:00Z',
  };
  expect(restored(state, Date.parse('2026-01-02T00:00:00Z'))).toMatchObject({
    scheduled_enable_at: null,
    scheduled_disable_at: '2026-01-03T00:00:00Z',
  });
});
