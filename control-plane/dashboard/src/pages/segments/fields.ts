/** The fields of a segment that can be edited, and their problems. */
import type { Condition } from '../../api/model';
import type { ConditionProblem } from '../../conditions/messages';
import type { Segment, SegmentFields } from './queries';

export function fieldsOf({ name, description, match_type, rules }: Segment): SegmentFields {
  return { name, description, match_type, rules };
}

export type Problem = ConditionProblem;

/** Problems by the path of their field, as the service names it: `rules[1].values`. */
export type Problems = ReadonlyMap<string, Problem>;

export function problemsOf(conditions: readonly Condition[]): Problems {
  const found = new Map<string, Problem>();
  conditions.forEach(({ attribute, operator, values }, place) => {
    const at = `rules[${place}]`;
    if (attribute.trim() === '') found.set(`${at}.attribute`, { kind: 'attribute' });
    const mayBeEmpty = operator === 'exists' || operator === 'neq';
    if (values.length === 0 && !mayBeEmpty) found.set(`${at}.values`, { kind: 'values' });
  });
  return found;
}

/** The field that a sentence of the service is about: `rules[2].values must not be empty`. */
export function placeOf(message: string): string | null {
  const found = /^rules\[(\d+)\]\.(\w+)/.exec(message);
  if (found === null) return null;
  return `rules[${found[1]}].${found[2] === 'attribute' ? 'attribute' : 'values'}`;
}
