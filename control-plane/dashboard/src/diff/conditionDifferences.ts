import { isSame } from '../flagState/isSame';
import { sentences as say } from './messages';
import { added, changed, removed, type Sentence } from './sentence';
import type { Condition } from './versions';

type NamedRule = { name: string; place: number };

/** With these the values are alternatives, so that one more or less is a change of its own. */
const LISTS = ['eq', 'in', 'neq', 'notIn', 'contains', 'startsWith', 'endsWith', 'regex'];

/**
 * Conditions have no id. Equal ones are the same; of the others, those of the same attribute and operator, then those of
 * the same attribute, are taken as changed; the rest was added or removed.
 */
export function conditionDifferences(
  before: readonly Condition[],
  after: readonly Condition[],
  rule: NamedRule,
): Sentence[] {
  const { gone, pairs, come } = compareConditions(before, after);
  const found = [
    ...gone.map(condition => removed(say.rule.conditionRemoved(rule, condition))),
    ...pairs.flatMap(([a, b]) => changesOf(a, b, rule)),
    ...come.map(condition => added(say.rule.conditionAdded(rule, condition))),
  ];
  return found.length === 0 && !isSame(before, after) ? [changed(say.rule.conditionsReordered(rule))] : found;
}

/** Removed, changed and added conditions. */
export function compareConditions(before: readonly Condition[], after: readonly Condition[]) {
  const gone = [...before];
  const come = [...after];
  take(gone, come, isSame);
  const pairs = [
    ...take(gone, come, (a, b) => a.attribute === b.attribute && a.operator === b.operator),
    ...take(gone, come, (a, b) => a.attribute === b.attribute),
  ];
  return { gone, pairs, come };
}

/** Takes the pairs that fit out of both lists. */
function take(
  left: Condition[],
  right: Condition[],
  fits: (a: Condition, b: Condition) => boolean,
): [Condition, Condition][] {
  const pairs: [Condition, Condition][] = [];
  for (const a of [...left]) {
    const b = right.find(other => fits(a, other));
    if (b === undefined) continue;
    left.splice(left.indexOf(a), 1);
    right.splice(right.indexOf(b), 1);
    pairs.push([a, b]);
  }
  return pairs;
}

function changesOf(before: Condition, after: Condition, rule: NamedRule): Sentence[] {
  const values = compareValues(before, after);
  if (values === null) return [changed(say.rule.conditionChanged(rule, before, after))];
  const { gone, came } = values;
  return [
    ...(gone.length > 0 ? [removed(say.rule.valuesRemoved(rule, after, gone))] : []),
    ...(came.length > 0 ? [added(say.rule.valuesAdded(rule, after, came))] : []),
  ];
}

/** The values of a list that went and came; `null` where more than some of its values changed. */
export function compareValues(
  before: Condition,
  after: Condition,
): { gone: string[]; came: string[] } | null {
  const gone = before.values.filter(value => !after.values.includes(value));
  const came = after.values.filter(value => !before.values.includes(value));
  const isList =
    before.attribute === after.attribute &&
    before.operator === after.operator &&
    LISTS.includes(before.operator);
  const stays = before.values.length > gone.length && after.values.length > came.length;
  return isList && stays && gone.length + came.length > 0 ? { gone, came } : null;
}
