/** How the editor shows what the service says of the draft. */
import type { Flag, Rule, StateDraft } from '../../../api/model';
import type { DraftValues, ExplainedDraft } from '../../../flagState/explainDraft';
import { rulePlaceOf } from './checks';
import { WHOLE } from './percent';

/** The warnings about each rule, by its id. Fields show shares in per cent, so a warning about basis points is left out. */
export function notesOf({
  rules,
  warnings,
}: Pick<ExplainedDraft, 'rules' | 'warnings'>): Map<string, string[]> {
  const notes = new Map<string, string[]>();
  for (const { place, message } of warnings) {
    const rule = rules[rulePlaceOf(place) ?? -1];
    if (rule === undefined || place.endsWith('.percentage')) continue;
    notes.set(rule.id, [...(notes.get(rule.id) ?? []), message]);
  }
  return notes;
}

/** The keys of the segments of a rule that have no conditions. */
export function emptySegments(
  rule: Rule,
  segments: readonly { key: string; rules: readonly unknown[] }[],
): string[] {
  return rule.segment_keys.filter(key => segments.find(one => one.key === key)?.rules.length === 0);
}

/** The value of contexts that no rule serves. */
export type Rest =
  | { kind: 'off'; value: unknown }
  /** A rule before takes everyone. */
  | { kind: 'nobody'; place: number }
  | { kind: 'value'; value: unknown; share: number; outside: unknown }
  | { kind: 'variants'; share: number; outside: unknown };

/** `null` while the service has not answered. */
export function restOf(
  { flag_type, default_value: outside }: Pick<Flag, 'flag_type' | 'default_value'>,
  { enabled, rules, percentage_rollout, variants }: StateDraft,
  values: DraftValues | null,
): Rest | null {
  if (!enabled) return { kind: 'off', value: outside };
  if (values === null) return null;
  const place = rules.findIndex(({ id }) => id === values.last_rule_id);
  if (place >= 0) return { kind: 'nobody', place };
  const share = percentage_rollout ?? WHOLE;
  if (flag_type === 'ab' && variants.length > 0) return { kind: 'variants', share, outside };
  return { kind: 'value', value: values.fallthrough_value, share, outside };
}
