import type { Refusal } from '../api/refusal';
import { sentence } from '../messages/format';

/** Explains a conflict at the field that it is always about: another one has this key or slug. */
export function conflictAt(field: 'key' | 'slug') {
  return (refusal: Refusal) =>
    refusal.kind === 'conflict' ? { field, text: sentence(refusal.message) } : null;
}
