/** The step that decided an answer, read from its trace. */
import type { Rule } from '../../../api/model';
import type { Explanation } from './queries';

export type Deciding =
  | { by: 'rule'; place: number; description: string }
  /** The value of the deciding step could not be served. */
  | { by: 'error' }
  | { by: 'mutex'; group: string; winner: string | null }
  | { by: 'prerequisite'; flagKey: string; reason: string }
  /** A cycle or too long a chain: no single flag is to blame. */
  | { by: 'prerequisites' }
  | { by: 'variant'; key: string }
  | { by: 'step'; step: string };

export function decidingOf(
  { result, decided_by, rules: tried, prerequisites, mutex }: Explanation,
  rules: readonly Pick<Rule, 'description'>[],
): Deciding {
  if (result.reason === 'ERROR') return { by: 'error' };
  switch (decided_by) {
    case 'rules': {
      const place = tried.length - 1;
      return { by: 'rule', place, description: rules[place]?.description ?? '' };
    }
    case 'mutual_exclusion':
      return { by: 'mutex', group: mutex?.group ?? '', winner: mutex?.winner ?? null };
    case 'prerequisites': {
      // What a prerequisite needs itself stands before it, so the last one is the flag's own.
      const unmet = prerequisites.findLast(({ met }) => !met);
      return unmet === undefined
        ? { by: 'prerequisites' }
        : { by: 'prerequisite', flagKey: unmet.flag_key, reason: unmet.reason };
    }
    case 'variants':
      return { by: 'variant', key: result.variant_key };
    default:
      return { by: 'step', step: decided_by };
  }
}
