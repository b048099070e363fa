/** What a subscription allows to do next, and how near a limit is. */
import type { Subscription } from '../../parts/subscription';

export type Checkout = 'first' | 'again' | 'overdue' | null;

/** Whether paying makes sense: not while a subscription goes on by itself, nor on a plan that is agreed upon. */
export function checkoutOf({ plan, status, cancel_at_period_end }: Subscription): Checkout {
  if (plan === 'enterprise') return null;
  if (status === 'past_due') return 'overdue';
  if (status === 'active') return cancel_at_period_end ? 'again' : null;
  // Pro that nobody pays for was given by the operator.
  if (plan === 'pro') return null;
  return status === 'canceled' ? 'again' : 'first';
}

/** Days until a moment, begun ones counted. */
export function daysUntil(iso: string, now: number): number {
  return Math.max(0, Math.ceil((Date.parse(iso) - now) / 86_400_000));
}

export type Nearness = 'far' | 'near' | 'reached';

/** Near a limit: one is left, or a fifth of it. */
export function nearness(used: number, limit: number): Nearness {
  if (limit < 0 || used <= 0) return 'far';
  if (used >= limit) return 'reached';
  const left = limit - used;
  return left === 1 || left <= limit / 5 ? 'near' : 'far';
}
