/** What contexts get that no rule serves, as the engine decides it. */
import type { Flag, StateDraft } from '../../../api/model';
import { lastReached } from './notes';
import { WHOLE } from './percent';

export type Rest =
  | { kind: 'off'; value: unknown }
  /** A rule before takes everyone. */
  | { kind: 'nobody'; place: number }
  | { kind: 'value'; value: unknown; share: number; outside: unknown }
  | { kind: 'variants'; share: number; outside: unknown };

export function restOf(flag: Pick<Flag, 'flag_type' | 'default_value'>, draft: StateDraft): Rest {
  const outside = flag.default_value;
  if (!draft.enabled) return { kind: 'off', value: outside };
  const place = lastReached(draft.rules);
  if (place !== null) return { kind: 'nobody', place };
  const share = draft.percentage_rollout ?? WHOLE;
  if (flag.flag_type === 'ab' && draft.variants.length > 0) return { kind: 'variants', share, outside };
  return { kind: 'value', value: servedValue(flag, draft), share, outside };
}

/** The served value of `evaluation.md`: targeting decides who gets `true`, so with rules "on" alone does not. */
export function servedValue(
  flag: Pick<Flag, 'flag_type' | 'default_value'>,
  { default_value, percentage_rollout, rules }: StateDraft,
): unknown {
  if (default_value !== null) return default_value;
  const isPlain = flag.flag_type === 'boolean' && (percentage_rollout !== null || rules.length === 0);
  return isPlain ? true : flag.default_value;
}

/** What a rule serves that names no value. */
export function unnamedValue(flag: Pick<Flag, 'flag_type' | 'default_value'>, draft: StateDraft): unknown {
  return flag.flag_type === 'boolean' ? true : (draft.default_value ?? flag.default_value);
}
