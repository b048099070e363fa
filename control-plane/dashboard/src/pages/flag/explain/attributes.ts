/** Which attributes the rules of a flag look at. */
import type { Rule, Segment } from '../../../api/model';

/** Their names, each once, in the order of the rules; `key` is no attribute. */
export function attributesLookedAt(
  rules: readonly Pick<Rule, 'conditions' | 'segment_keys'>[],
  segments: readonly Pick<Segment, 'key' | 'rules'>[],
): string[] {
  const conditions = rules.flatMap(rule => [
    ...rule.conditions,
    ...segments.filter(({ key }) => rule.segment_keys.includes(key)).flatMap(segment => segment.rules),
  ]);
  const names = new Set(conditions.map(({ attribute }) => attribute));
  return [...names].filter(name => name !== 'key' && name !== '');
}
