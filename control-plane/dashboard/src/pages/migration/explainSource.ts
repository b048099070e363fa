import type { Refusal } from '../../api/refusal';
import { sentence } from '../../messages/format';

/** The source's own failure in words: the service passes it on with 502, or 503 where too many sources are read. */
export function explainSource(refusal: Refusal): { text: string } | null {
  if (refusal.kind !== 'fault' || refusal.message === undefined) return null;
  return refusal.status === 502 || refusal.status === 503 ? { text: sentence(refusal.message) } : null;
}
