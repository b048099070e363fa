import type { StateDraft } from '../../../api/model';

/** The target after promoting. Variants and schedules stay those of the target. */
export function promoted(source: StateDraft, target: StateDraft): StateDraft {
  const { enabled, default_value, rules, percentage_rollout } = source;
  return { ...target, enabled, default_value, rules, percentage_rollout };
}
