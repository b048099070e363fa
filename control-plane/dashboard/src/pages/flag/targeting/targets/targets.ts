/**
 * Individual users of a flag: rules at the beginning that match the keys of a list, and nothing else. Only rules that were
 * stored as such, or begun as such, are shown as lists: a rule that is being written stays the card that it is.
 */
import type { Rule } from '../../../../api/model';
import { numbered } from '../../../../flagState/draft';
import { isSame } from '../../../../flagState/isSame';
import { WHOLE } from '../percent';

const PREFIX = 'targets-';

/** The name that the rule of a new list has. */
export const TARGETS_NAME = 'Individual users';

/** The id of a new list. */
export function newTargetsId(ruleId: string): string {
  return `${PREFIX}${ruleId}`;
}

/** A list without users, with the value that they get. */
export function newTargets(id: string, value: unknown): Rule {
  return {
    id,
    priority: null,
    description: TARGETS_NAME,
    conditions: [{ attribute: 'key', operator: 'in', values: [] }],
    segment_keys: [],
    percentage: WHOLE,
    value,
    match_type: 'all',
  };
}

/** Whether a rule matches the users of a list, and nobody else. */
export function isTargets({ conditions, segment_keys, percentage, value }: Rule): boolean {
  const [condition, ...others] = conditions;
  return (
    others.length === 0 &&
    condition?.attribute === 'key' &&
    condition.operator === 'in' &&
    segment_keys.length === 0 &&
    percentage === WHOLE &&
    value !== undefined
  );
}

/** How many rules at the beginning of the draft are lists of users. */
export function countTargets(rules: readonly Rule[], stored: readonly Rule[]): number {
  const known = new Set(leading(stored, isTargets).map(({ id }) => id));
  return leading(rules, rule => isTargets(rule) && (rule.id.startsWith(PREFIX) || known.has(rule.id))).length;
}

function leading(rules: readonly Rule[], isOne: (rule: Rule) => boolean): readonly Rule[] {
  const end = rules.findIndex(rule => !isOne(rule));
  return end < 0 ? rules : rules.slice(0, end);
}

/** The rules with another list behind those that there are. */
export function withTargets(rules: readonly Rule[], count: number, list: Rule): Rule[] {
  return numbered(rules.toSpliced(count, 0, list));
}

export function keysOf(rule: Rule): string[] {
  return rule.conditions[0]?.values ?? [];
}

/** The conditions of a list of these users. */
export function conditionsOf(keys: string[]): Rule['conditions'] {
  return [{ attribute: 'key', operator: 'in', values: keys }];
}

/** Users of a list who are in an earlier one too, which decides. */
export function decidedBefore(lists: readonly Rule[], place: number): string[] {
  const earlier = new Set(lists.slice(0, place).flatMap(keysOf));
  const list = lists[place];
  return list === undefined ? [] : keysOf(list).filter(key => earlier.has(key));
}

/** The value of the next list: one that no list has, where the type has only two. */
export function nextValue(lists: readonly Rule[], first: unknown): unknown {
  if (typeof first !== 'boolean') return first;
  return lists.some(({ value }) => isSame(value, first)) ? !first : first;
}

/** Whether there are lists for both values of a boolean flag, so that another one says nothing new. */
export function isComplete(lists: readonly Rule[], first: unknown): boolean {
  return typeof first === 'boolean' && new Set(lists.map(({ value }) => value)).size > 1;
}
