import { expect, it } from 'vitest';
import type { StaleReason } from './queries';
import { reasonsOf } from './reasons';

const nameOf = (id: string) => `Env ${id}`;

function reason(more: Partial<StaleReason>): StaleReason {
  return {
    reason: 'one_value',
    everywhere: true,
    env_ids: ['a', 'b'],
    value: null,
    value_digest: null,
    since: null,
    ...more,
  } as StaleReason;
}

function words(more: Partial<StaleReason>): string[] {
  return reasonsOf({ reasons: [reason(more)] }, nameOf).flatMap(({ because, without }) => [because, without]);
}

it('says why a flag may go, and what would differ', () => {
  expect(words({ value: true as never })).toEqual([
    'Served only true everywhere for 30 days.',
    'Nothing changes if the code uses true instead.',
  ]);
  expect(words({ value: 'x' as never, everywhere: false })).toEqual([
    'Served only "x" in Env a and Env b for 30 days.',
    'Other environments may change: it is only settled in Env a and Env b.',
  ]);
  expect(words({ value_digest: '0123456789abcdef' })[0]).toBe(
    'Served only one long value (01234567) everywhere for 30 days.',
  );
  expect(words({ reason: 'not_evaluated' })).toEqual([
    'Never evaluated.',
    'Nothing changes: no app asks for it.',
  ]);
  expect(words({ reason: 'fully_on' })).toEqual([
    'On for everyone everywhere.',
    'Nothing changes if the code keeps the path for "on".',
  ]);
  expect(words({ reason: 'fully_off' })).toEqual([
    'Never switched on.',
    'Nothing changes if the code keeps the path for "off".',
  ]);
});
