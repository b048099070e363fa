/** A request's change beside the present state: the fields that it names, as JSON. */
import type { Approval } from './queries';

/** What is asked for. Without a payload, `enable` and `disable` say it by themselves. */
export function requestedOf({ payload, change_type }: Pick<Approval, 'payload' | 'change_type'>): object {
  if (Object.keys(payload).length > 0) return payload;
  if (change_type === 'enable') return { enabled: true };
  if (change_type === 'disable') return { enabled: false };
  return {};
}

/** The same fields of the present state; those that it does not have are left out. */
export function presentOf(state: object, requested: object): object {
  const fields = new Set(Object.keys(requested));
  return Object.fromEntries(Object.entries(state).filter(([name]) => fields.has(name)));
}

export function asJson(fields: object): string {
  return JSON.stringify(fields, null, 2);
}
