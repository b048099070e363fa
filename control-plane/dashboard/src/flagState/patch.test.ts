import { expect, it } from 'vitest';
import { draftOf } from './draft';
import { needs, patchOf } from './patch';

const base = draftOf({ enabled: false });

it('only what differs is sent', () => {
  expect(patchOf(base, base)).toEqual({});
  expect(patchOf(base, { ...base, enabled: true, percentage_rollout: 0 })).toEqual({
    enabled: true,
    percentage_rollout: 0,
  });
  const set = { ...base, percentage_rollout: 0, default_value: false };
  expect(patchOf(set, base)).toEqual({ percentage_rollout: null, default_value: null });
});

it.each([
  [{ enabled: true }, { toggle: true, rules: false }],
  [{ scheduled_enable_at: null }, { toggle: true, rules: false }],
  [{ rules: [] }, { toggle: false, rules: true }],
  [
    { enabled: true, default_value: 1 },
    { toggle: true, rules: true },
  ],
  [{}, { toggle: false, rules: false }],
])('%j needs %j', (patch, needed) => {
  expect(needs(patch)).toEqual(needed);
});
