import type { Refusal } from '../../api/refusal';
import { sentence } from '../../messages/format';
import { migration as words } from './messages';

/** The fields of a source by the names that the service gives them. */
const LABELS: Record<string, () => string> = {
  base_url: words.address,
  project_key: words.projectKey,
  api_key: words.apiKey,
};

/**
 * The source's own failure in words: the service passes it on with 502, or 503 where too many sources are read. Sentences about a
 * field begin with the field's label.
 */
export function explainSource(refusal: Refusal): { text: string; field?: string } | null {
  if (refusal.kind === 'invalid' && refusal.field !== null) {
    const label = LABELS[refusal.field];
    const rest = refusal.message.slice(refusal.field.length);
    return label === undefined ? null : { text: sentence(label() + rest), field: refusal.field };
  }
  if (refusal.kind !== 'fault' || refusal.message === undefined) return null;
  return refusal.status === 502 || refusal.status === 503 ? { text: sentence(refusal.message) } : null;
}
