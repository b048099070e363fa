import type { Refusal } from '../api/refusal';
import { sentence } from '../messages/format';
import { t } from '../messages/open';

/** The text of a refusal: the service's own sentence where it gave one. */
export function refusalText(refusal: Refusal): string {
  switch (refusal.kind) {
    case 'offline':
      return t.refusal.offline();
    case 'fault':
      return t.refusal.fault(refusal.status);
    default:
      return sentence(refusal.message);
  }
}
