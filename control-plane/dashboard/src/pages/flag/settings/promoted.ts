import type { StateDraft } from '../../../api/model';

/** What promoting makes of the target. Variants and schedules stay those of the target. */
export function promoted(source: StateDraft, target: StateDraft): StateDraft {
  const { enabled, default_value, rules, percentage_rollout } = source;
  return { ...target, enabled, default_value, rules, percentage_rollout };
}
