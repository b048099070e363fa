import { expect, it } from 'vitest';
import type { Subscription } from '../../parts/subscription';
import { checkoutOf, daysUntil, nearness } from './standing';

function subscription(plan: string, status: string, ends = false): Subscription {
  return { plan, status, cancel_at_period_end: ends } as Subscription;
}

it.each([
  ['trial', 'none', false, 'first'],
  ['free', 'none', false, 'first'],
  ['free', 'canceled', false, 'again'],
  ['pro', 'active', false, null],
  ['pro', 'active', true, 'again'],
  ['pro', 'past_due', false, 'overdue'],
  ['pro', 'none', false, null],
  ['enterprise', 'none', false, null],
  ['enterprise', 'past_due', false, null],
] as const)('%s with a subscription that is %s, ending: %s', (plan, status, ends, expected) => {
  expect(checkoutOf(subscription(plan, status, ends))).toBe(expected);
});

it('days that have begun count', () => {
  const now = Date.parse('2026-05-04T12:00:00Z');
  expect(daysUntil('2026-05-04T13:00:00Z', now)).toBe(1);
  expect(daysUntil('2026-05-18T12:00:00Z', now)).toBe(14);
  expect(daysUntil('2026-05-01T12:00:00Z', now)).toBe(0);
});

it.each([
  [0, 1, 'far'],
  [1, 1, 'reached'],
  [1, 3, 'far'],
  [2, 3, 'near'],
  [3, 3, 'reached'],
  [4, 3, 'reached'],
  [79, 100, 'far'],
  [80, 100, 'near'],
  [500, -1, 'far'],
] as const)('%i of %i is %s', (used, limit, expected) => {
  expect(nearness(used, limit)).toBe(expected);
});
