/** How another answer compares with the one of what is stored. */
import { isSame } from '../../../flagState/isSame';
import type { Explanation } from './queries';

export type Compared = 'same' | 'reason' | 'different';

/** `reason` when the value is the same and only what decided it is not. */
export function compared(other: Explanation, stored: Explanation): Compared {
  const isValue =
    isSame(other.result.value, stored.result.value) && other.result.variant_key === stored.result.variant_key;
  if (!isValue) return 'different';
  const isReason =
    other.result.reason === stored.result.reason &&
    other.decided_by === stored.decided_by &&
    other.rule_id === stored.rule_id;
  return isReason ? 'same' : 'reason';
}
