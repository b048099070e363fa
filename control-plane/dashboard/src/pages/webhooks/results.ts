import type { Delivery } from './queries';

export type Result = 'delivered' | 'failed' | 'dropped';

/** Whether it arrived; what was never tried was dropped from a full queue, or the webhook was paused. */
export function resultOf({ success, attempts }: Pick<Delivery, 'success' | 'attempts'>): Result {
  if (success) return 'delivered';
  return attempts === 0 ? 'dropped' : 'failed';
}

/** The newest test among deliveries that were not there before; `null` while it is on its way. */
export function testAfter(before: readonly string[], deliveries: readonly Delivery[]): Delivery | null {
  const isNew = ({ id, event_type, redelivery_of }: Delivery) =>
    event_type === 'webhook.test' && redelivery_of === null && !before.includes(id);
  return deliveries.find(isNew) ?? null;
}

/** A body to read: JSON on several lines, anything else as it is. */
export function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
