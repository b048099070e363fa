import { inOrder, numbered } from '../flagState/draft';
import { isSame } from '../flagState/isSame';
import type { Merging } from './merging';
import { mergeOrder } from './sequence';
import type { Parts, Rule, StateFields } from './versions';

/** The fields of a rule that are merged each by itself. Its place is merged with the order of all. */
const FIELDS = [
  'description',
  'conditions',
  'segment_keys',
  'percentage',
  'value',
  'match_type',
] as const satisfies readonly (keyof Rule)[];

type Field = (typeof FIELDS)[number];

/** Rules are the same by their id, wherever they stand. */
export function mergeRules(
  base: StateFields,
  mine: StateFields,
  theirs: StateFields,
  merging: Merging,
): Rule[] {
  if (isSame(mine.rules, base.rules)) return theirs.rules;
  if (isSame(theirs.rules, base.rules)) return mine.rules;
  const [b, m, t] = [byId(base.rules), byId(mine.rules), byId(theirs.rules)];

  const merged = new Map<string, Rule>();
  for (const id of new Set([...t.keys(), ...m.keys(), ...b.keys()])) {
    const rule = mergeRule(id, b.get(id), m.get(id), t.get(id), base, merging);
    if (rule !== undefined) merged.set(id, rule);
  }
  return numbered(placed(base, [ids(b), ids(m), ids(t)], merged, merging));
}

function mergeRule(
  id: string,
  base: Rule | undefined,
  mine: Rule | undefined,
  theirs: Rule | undefined,
  state: StateFields,
  merging: Merging,
): Rule | undefined {
  if (base === undefined || mine === undefined || theirs === undefined) {
    return merging.pick(
      `state.rules/${id}`,
      [base, mine, theirs],
      rule => ({ state: { ...state, rules: withRule(state.rules, id, rule) } }),
      sameRule,
    );
  }
  let rule = theirs;
  for (const field of FIELDS) {
    const value = merging.pick<unknown>(
      `state.rules/${id}/${field}`,
      [base[field], mine[field], theirs[field]],
      changed => ({ state: { ...state, rules: withRule(state.rules, id, withField(base, field, changed)) } }),
    );
    rule = withField(rule, field, value);
  }
  return rule;
}

function withField(rule: Rule, field: Field, value: unknown): Rule {
  return { ...rule, [field]: value } as Rule;
}

/** The rules with this one in its place, at the end if it is new, or without it. */
function withRule(rules: readonly Rule[], id: string, rule: Rule | undefined): Rule[] {
  if (rule === undefined) return rules.filter(other => other.id !== id);
  if (rules.some(other => other.id === id)) return rules.map(other => (other.id === id ? rule : other));
  return numbered([...inOrder(rules), rule]);
}

/** Where a rule stands is no part of what it says. */
function sameRule(a: Rule | undefined, b: Rule | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return FIELDS.every(field => isSame(a[field], b[field]));
}

function placed(
  base: StateFields,
  [b, m, t]: readonly [string[], string[], string[]],
  merged: ReadonlyMap<string, Rule>,
  merging: Merging,
): Rule[] {
  const all = new Set(merged.keys());
  let order = mergeOrder(b, m, t, all);
  if (order === null) {
    const under = (like: readonly string[]): Parts => ({
      state: { ...base, rules: numbered(likewise(inOrder(base.rules), like)) },
    });
    const side = merging.clash('state.rules', { base: under(b), mine: under(m), theirs: under(t) });
    order = mergeOrder(b, m, t, all, side) ?? [];
  }
  return order.flatMap(id => merged.get(id) ?? []);
}

/** The rules in the order of `like`; those that are not in it keep their place among the others. */
function likewise(rules: readonly Rule[], like: readonly string[]): Rule[] {
  const listed = like.flatMap(id => rules.find(rule => rule.id === id) ?? []);
  return rules.map(rule => (like.includes(rule.id) ? (listed.shift() ?? rule) : rule));
}

function byId(rules: readonly Rule[]): Map<string, Rule> {
  return new Map(inOrder(rules).map(rule => [rule.id, rule]));
}

function ids(rules: ReadonlyMap<string, Rule>): string[] {
  return [...rules.keys()];
}
