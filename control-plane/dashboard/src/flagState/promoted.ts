import type { StateDraft } from '../api/model';

/** The target after promoting. Schedules stay those of the target, and variants do unless they are copied too. */
export function promoted(source: StateDraft, target: StateDraft, withVariants = false): StateDraft {
  const { enabled, default_value, rules, percentage_rollout } = source;
  const variants = withVariants ? source.variants : target.variants;
  return { ...target, enabled, default_value, rules, percentage_rollout, variants };
}
