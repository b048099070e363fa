/** Changes of the list of rules. Each answers with a new list, whose priorities are the places. */

import type { Rule } from '../../../api/model';
import { NEW_CONDITION } from '../../../conditions/edit';
import { numbered } from '../../../flagState/draft';
import { WHOLE } from './percent';

/** An id that no other rule has; the service takes any text. */
export function newRuleId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return `rule-${Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** A rule with one condition to fill in. */
export function newRule(id: string, value: unknown): Rule {
  return {
    id,
    priority: null,
    description: '',
    conditions: [NEW_CONDITION],
    segment_keys: [],
    percentage: WHOLE,
    value,
    match_type: 'all',
  };
}

export function added(rules: readonly Rule[], rule: Rule): Rule[] {
  return numbered([...rules, rule]);
}

export function removed(rules: readonly Rule[], id: string): Rule[] {
  return numbered(rules.filter(rule => rule.id !== id));
}

/** A copy right behind the rule that it is of. */
export function duplicated(rules: readonly Rule[], id: string, copyId: string): Rule[] {
  return numbered(rules.flatMap(rule => (rule.id === id ? [rule, { ...rule, id: copyId }] : [rule])));
}

/** The rule at another place; places beyond the ends are the ends. */
export function moved(rules: readonly Rule[], id: string, to: number): Rule[] {
  const from = rules.findIndex(rule => rule.id === id);
  const rule = rules[from];
  if (rule === undefined) return [...rules];
  const others = rules.filter(other => other.id !== id);
  return numbered(others.toSpliced(Math.max(0, to), 0, rule));
}

export function changed(rules: readonly Rule[], id: string, change: Partial<Rule>): Rule[] {
  return rules.map(rule => (rule.id === id ? { ...rule, ...change } : rule));
}

/** Where a card lands that is let go at `y`, when the others have their middles at `middles`, from top to bottom. */
export function placeAt(y: number, middles: readonly number[]): number {
  return middles.filter(middle => middle < y).length;
}
