/** Incomplete fields and values of another type, which the service would refuse. */

import type { FlagType, Rule, StateDraft, Variant } from '../../../api/model';
import type { ConditionProblem } from '../../../conditions/messages';
import { type WrongValue, wrongOf } from '../../../flagState/values';
import { WHOLE } from './percent';
import { sumOf } from './weights';

export type Problem =
  | ConditionProblem
  | { kind: 'value'; why: WrongValue }
  | { kind: 'weights'; sum: number }
  | { kind: 'variantKey' }
  | { kind: 'variantTwice' };

/** Problems by the path of their field, as the service names it: `rules[0].conditions[1].values`. */
export type Problems = ReadonlyMap<string, Problem>;

export function problemsOf(type: FlagType, draft: StateDraft): Problems {
  const found = new Map<string, Problem>();
  draft.rules.forEach((rule, place) => {
    checkRule(type, rule, `rules[${place}]`, found);
  });
  checkVariants(draft.variants, found);
  if (draft.default_value !== null) {
    const why = wrongOf(type, draft.default_value, false);
    if (why !== null) found.set('default_value', { kind: 'value', why });
  }
  return found;
}

function checkRule(type: FlagType, rule: Rule, path: string, found: Map<string, Problem>): void {
  rule.conditions.forEach(({ attribute, operator, values }, place) => {
    const at = `${path}.conditions[${place}]`;
    if (attribute.trim() === '') found.set(`${at}.attribute`, { kind: 'attribute' });
    const mayBeEmpty = operator === 'exists' || operator === 'neq';
    if (values.length === 0 && !mayBeEmpty) found.set(`${at}.values`, { kind: 'values' });
  });
  if (rule.value !== undefined) {
    const why = wrongOf(type, rule.value, true);
    if (why !== null) found.set(`${path}.value`, { kind: 'value', why });
  }
}

function checkVariants(variants: readonly Variant[], found: Map<string, Problem>): void {
  variants.forEach(({ key }, place) => {
    const isTwice = variants.some((other, at) => at < place && other.key === key);
    if (key === '') found.set(`variants[${place}].key`, { kind: 'variantKey' });
    else if (isTwice) found.set(`variants[${place}].key`, { kind: 'variantTwice' });
  });
  const sum = sumOf(variants);
  if (variants.length > 0 && sum !== WHOLE) found.set('variants', { kind: 'weights', sum });
}

const FIELDS = 'attribute|operator|values|value|percentage|description|match_type|segment_keys|key|weight';
const PLACE = new RegExp(
  `^(?:(?:rules|variants)\\[\\d+\\](?:\\.conditions\\[\\d+\\])?(?:\\.(?:${FIELDS}))?` +
    '|default_value|percentage_rollout|scheduled_enable_at|scheduled_disable_at)(?=[ .:[])',
);

/** The place that a sentence of the service is about: `rules[2].value must be a boolean`. */
export function placeOf(message: string): string | null {
  if (/^variant (?:weights|keys) /.test(message)) return 'variants';
  return PLACE.exec(message)?.[0] ?? null;
}

/** The sentence without the way to its place, which is where it stands: `value must be a boolean`. */
export function withoutPlace(message: string): string {
  return message.replace(/^(?:rules|variants)\[\d+\]\.(?:conditions\[\d+\]\.)?/, '');
}

/** The rule that a path leads into. */
export function rulePlaceOf(path: string): number | null {
  const found = /^rules\[(\d+)\]/.exec(path);
  return found === null ? null : Number(found[1]);
}
