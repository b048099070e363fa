/** A state in a few short phrases. */
import type { Flag, StateDraft } from '../../../api/model';
import { besides } from './messages';

export function summaryOf(flag: Pick<Flag, 'flag_type' | 'default_value'>, state: StateDraft): string[] {
  const { enabled, rules, percentage_rollout: rollout, variants, default_value: value } = state;
  return [
    besides.isOn(enabled),
    ...(enabled ? [] : [besides.everyoneGets(flag.default_value)]),
    ...(value === null ? [] : [besides.value(value)]),
    ...(rules.length > 0 ? [besides.rules(rules.length)] : []),
    ...(rollout === null ? [] : [besides.rollout(rollout)]),
    ...(flag.flag_type === 'ab' && variants.length > 0 ? [besides.variants(variants.length)] : []),
    ...(state.scheduled_enable_at === null ? [] : [besides.enableAt(state.scheduled_enable_at)]),
    ...(state.scheduled_disable_at === null ? [] : [besides.disableAt(state.scheduled_disable_at)]),
  ];
}
