import type { Refusal } from '../../api/refusal';
import { sentence } from '../../messages/format';
import { refusalText } from '../../ui/refusalText';

/** The failure of a gateway in the service's words: it says which one failed, or that there is none. */
export function gatewayText(refusal: Refusal): string {
  return refusal.kind === 'fault' && refusal.message !== undefined
    ? sentence(refusal.message)
    : refusalText(refusal);
}
