/** What is worth telling the author of a rule: all of it would be saved, and may not do what it looks like. */
import type { Condition, Rule, Segment } from '../../../api/model';
import { asksForAbsence, isComparison } from '../../../conditions/operators';
import { type RegexProblem, regexProblem } from './regex';

export type Note =
  /** The rule at `place`, counted from 0, serves whoever this one would. */
  | { kind: 'unreached'; place: number }
  | { kind: 'nobody' }
  /** None of the segments that the rule names is there: it matches nobody. */
  | { kind: 'segmentsGone'; keys: string[] }
  /** Some are not there; the others decide. */
  | { kind: 'segmentGone'; keys: string[] }
  | { kind: 'segmentEmpty'; keys: string[] }
  | { kind: 'regex'; pattern: string; problem: RegexProblem }
  /** It does not match either when the attribute is missing; `isAlone` when the rule has no other condition. */
  | { kind: 'negation'; attribute: string; isAlone: boolean }
  | { kind: 'absence'; attribute: string }
  | { kind: 'comparison'; value: string };

type Conditions = Pick<Rule, 'conditions' | 'match_type'>;

/** What is known of a project's segments; `isComplete` when one that is not among them does not exist. */
export interface KnownSegments {
  segments: readonly Segment[];
  isComplete: boolean;
}

/** The notes beside each rule, in the order of the rules. */
export function notesOf(rules: readonly Rule[], known: KnownSegments): Note[][] {
  return rules.map((rule, place) => [
    ...reachNotes(rules, rule, place),
    ...segmentNotes(rule, known),
    ...rule.conditions.flatMap(condition => conditionNotes(condition, rule)),
  ]);
}

export function takesEveryone(rule: Rule): boolean {
  return rule.conditions.length === 0 && rule.segment_keys.length === 0;
}

/** The first rule that serves everyone who gets to it, so that nothing behind it is ever asked. */
export function lastReached(rules: readonly Rule[]): number | null {
  const place = rules.findIndex(rule => takesEveryone(rule) && rule.percentage === 10_000);
  return place < 0 ? null : place;
}

/** All percentages of a flag share one bucket: whom an earlier rule with as large a share leaves out, this one does. */
function reachNotes(rules: readonly Rule[], rule: Rule, place: number): Note[] {
  if (rule.percentage === 0) return [{ kind: 'nobody' }];
  const earlier = rules.findIndex(
    (other, at) =>
      at < place &&
      other.percentage >= rule.percentage &&
      (takesEveryone(other) || whomOf(other) === whomOf(rule)),
  );
  return earlier < 0 ? [] : [{ kind: 'unreached', place: earlier }];
}

/** Whom a rule matches, as a text: rules are compared with all before them while somebody types. */
function whomOf(rule: Rule): string {
  const known = whoms.get(rule);
  if (known !== undefined) return known;
  const { conditions, segment_keys, match_type } = rule;
  const parts = conditions.map(({ attribute, operator, values }) => [attribute, operator, values]);
  const text = JSON.stringify([parts, segment_keys.toSorted(), parts.length < 2 ? '' : match_type]);
  whoms.set(rule, text);
  return text;
}

const whoms = new WeakMap<Rule, string>();

function segmentNotes(rule: Rule, { segments, isComplete }: KnownSegments): Note[] {
  const found = rule.segment_keys.map(key => ({ key, segment: segments.find(one => one.key === key) }));
  const gone = isComplete ? found.filter(({ segment }) => segment === undefined).map(({ key }) => key) : [];
  const empty = found.filter(({ segment }) => segment?.rules.length === 0).map(({ key }) => key);
  const notes: Note[] = [];
  if (gone.length > 0) {
    notes.push({ kind: gone.length === found.length ? 'segmentsGone' : 'segmentGone', keys: gone });
  }
  if (empty.length > 0) notes.push({ kind: 'segmentEmpty', keys: empty });
  return notes;
}

/** What is worth telling of one condition among others, of a rule or of a segment. */
export function conditionNotes(condition: Condition, rule: Conditions): Note[] {
  const { attribute, operator, values } = condition;
  if (operator === 'regex') {
    return values.flatMap(pattern => {
      const problem = regexProblem(pattern);
      return problem === null ? [] : [{ kind: 'regex' as const, pattern, problem }];
    });
  }
  if (operator === 'neq' && values.length === 0) {
    return attribute === '' ? [] : [{ kind: 'absence', attribute }];
  }
  const isNegation = operator === 'neq' || operator === 'notIn';
  if (isNegation && attribute !== '' && attribute !== 'key' && values.length > 0) {
    return matchesMissing(rule, attribute)
      ? []
      : [{ kind: 'negation', attribute, isAlone: rule.conditions.length === 1 }];
  }
  const [value] = values;
  return isComparison(operator) && value !== undefined && !isComparable(value)
    ? [{ kind: 'comparison', value }]
    : [];
}

/** Whether another condition of the rule takes the contexts that lack the attribute, or demands that none does. */
function matchesMissing(rule: Conditions, attribute: string): boolean {
  return rule.conditions.some(other => {
    if (other.attribute !== attribute) return false;
    if (rule.match_type === 'any') return asksForAbsence(other);
    return other.operator === 'exists' && !asksForAbsence(other);
  });
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const INSTANT = /^\d{4}-\d\d-\d\dt\d\d:\d\d:\d\d(\.\d+)?(z|[+-]\d\d:\d\d)$/i;
const VERSION = /^\d+\.\d+\.\d+(-[0-9a-z.-]+)?(\+[0-9a-z.-]+)?$/i;

/** Comparisons know numbers, date-times and versions; any other text is neither more nor less than anything. */
export function isComparable(value: string): boolean {
  return (
    NUMBER.test(value) || VERSION.test(value) || (INSTANT.test(value) && !Number.isNaN(Date.parse(value)))
  );
}
