import { expect, it } from 'vitest';
import { draftOf } from './draft';
import { promoted } from './promoted';

it('promoting copies switch, default, rules and rollout, and leaves variants and schedules alone', () => {
  const nothing = draftOf({ enabled: false });
  const variants = [{ key: 'a', weight: 10_000, value: 1 }];
  const source = {
    ...nothing,
    enabled: true,
    default_value: 'x',
    percentage_rollout: null,
    scheduled_enable_at: '2026-01-02T00:00:00Z',
  };
  const target = {
    ...nothing,
    percentage_rollout: 100,
    variants,
    scheduled_disable_at: '2027-01-02T00:00:00Z',
  };
  expect(promoted(source, target)).toEqual({
    ...nothing,
    enabled: true,
    default_value: 'x',
    percentage_rollout: null,
    variants,
    scheduled_disable_at: '2027-01-02T00:00:00Z',
  });
  expect(promoted(source, target, true).variants).toEqual([]);
});
