/** Changes of the list of rules. Each answers with a new list, whose priorities are the places. */

import type { Condition, Rule } from '../../../api/model';
import { numbered } from '../../../flagState/draft';
import { WHOLE } from './percent';

/** An id that no other rule has; the service takes any text. */
export function newRuleId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return `rule-${Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')}`;
}

export const NEW_CONDITION: Condition = { attribute: '', operator: 'in', values: [] };

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

/**
 * The values in a text: parted by commas and line ends; in quotes a comma is a part of the value. Each once, in
 * their order. Patterns have commas of their own, so they are parted by line ends alone.
 */
export function splitValues(text: string, isPattern: boolean): string[] {
  const parts = isPattern
    ? text.split(/[\r\n]+/)
    : (text.match(/\s*"(?:[^"]|"")*"\s*(?=,|\r|\n|$)|[^,\r\n]+/g) ?? []);
  const values = parts.map(part => (isPattern ? part : unquoted(part.trim())));
  return [...new Set(values.filter(value => value !== ''))];
}

function unquoted(part: string): string {
  return part.length > 1 && part.startsWith('"') && part.endsWith('"')
    ? part.slice(1, -1).replaceAll('""', '"')
    : part;
}

/** The attributes that conditions name, `key` first, the others by their names. */
export function attributesOf(conditions: readonly Condition[]): string[] {
  const names = new Set(conditions.map(({ attribute }) => attribute).filter(name => name !== ''));
  names.delete('key');
  return ['key', ...[...names].sort((a, b) => a.localeCompare(b))];
}
