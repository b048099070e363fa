import { describe, expect, it } from 'vitest';
import { differenceOf } from './difference';
import type { Differing } from './queries';

const STATE = {
  id: '1',
  enabled: true,
  default_value: null,
  rules: [],
  percentage_rollout: null,
  variants: [],
  scheduled_enable_at: null,
  scheduled_disable_at: null,
  updated_at: '2026-11-20T12:00:00Z',
};
const NAMES = { segment: (key: string) => key, flag: (key: string) => key };

function differing(differs: string[], from: object | null, to: object | null): Differing {
  const state = (fields: object | null) => (fields === null ? null : { ...STATE, ...fields });
  return { key: 'a', name: 'A', differs, from: state(from), to: state(to) } as Differing;
}

describe('a flag that differs', () => {
  it('can be promoted where something was stored', () => {
    const found = differenceOf(differing(['enabled'], {}, null), NAMES);
    expect([found.all.length, found.left.length, found.canPromote]).toEqual([1, 0, true]);
    expect(differenceOf(differing(['enabled'], null, {}), NAMES).canPromote).toBe(false);
  });

  it('keeps its schedules and variants', () => {
    const at = { scheduled_enable_at: '2026-12-24T08:00:00Z' };
    const schedule = differenceOf(differing(['scheduled_enable_at'], at, {}), NAMES);
    expect([schedule.left.length, schedule.canPromote]).toEqual([1, false]);
    const variants = { variants: [{ key: 'v', value: 1, weight: 10_000 }] };
    const varied = differenceOf(differing(['variants'], variants, {}), NAMES);
    expect([varied.left.length, varied.hasVariants, varied.canPromote]).toEqual([1, true, true]);
    const both = differenceOf(
      differing(['enabled', 'scheduled_enable_at'], { ...at, enabled: false }, {}),
      NAMES,
    );
    expect([both.all.length, both.copied.length, both.left.length]).toEqual([2, 1, 1]);
  });
});
