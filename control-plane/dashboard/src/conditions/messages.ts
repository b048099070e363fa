import type { Condition } from '../api/model';
import { number, plural, sentence } from '../messages/format';
import type { Separator } from './edit';
import { asksForAbsence, choiceOf, type OperatorChoice } from './operators';

/** The operators of conditions in words, as they stand between an attribute and its values. */
export const OPERATORS: Record<OperatorChoice, string> = {
  in: 'is one of',
  notIn: 'is none of',
  eq: 'equals',
  neq: 'does not equal',
  contains: 'contains',
  startsWith: 'starts with',
  endsWith: 'ends with',
  regex: 'matches the pattern',
  gt: 'is greater than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  exists: 'is present',
  missing: 'is missing',
};

const VALUES_SHOWN = 5;

function condition(of: Condition): string {
  const attribute = of.attribute === '' ? '…' : of.attribute;
  const choice = choiceOf(of);
  if (choice === 'exists' || asksForAbsence(of)) {
    return `${attribute} ${asksForAbsence(of) ? OPERATORS.missing : OPERATORS.exists}`;
  }
  const hidden = of.values.length - VALUES_SHOWN;
  const shown = of.values.slice(0, VALUES_SHOWN).map(value => (value === '' ? '“”' : value));
  const values = hidden > 0 ? `${shown.join(', ')} and ${number(hidden)} more` : shown.join(', ');
  return `${attribute} ${OPERATORS[choice]} ${values === '' ? '…' : values}`;
}

/** A warning of the service as a sentence: rules are counted from 1, names are as they were typed, contexts are users. */
function note(message: string): string {
  const named = message
    .replace(/\bmatch contexts\b/, 'match users')
    .replace(/rules\[(\d+)\]/g, (_, place) => `rule ${number(Number(place) + 1)}`);
  return sentence(named.replace(/(?:%[0-9A-F]{2})+/g, decodeURIComponent));
}

/** Fields of a condition that are not filled in. */
export type ConditionProblem = { kind: 'attribute' } | { kind: 'values' };

/** The text of the editor of conditions. */
export const conditionWords = {
  condition,
  note,
  removeCondition: (of: Condition) => `Remove the condition ${condition(of)}`,
  conditionOf: (place: number) => `Condition ${number(place + 1)}`,
  attribute: () => 'Attribute',
  attributePlaceholder: () => 'country, plan, key …',
  attributeKey: () => 'key: the user',
  operator: () => 'Operator',
  operatorName: (choice: OperatorChoice) => OPERATORS[choice],
  value: () => 'Value',
  valuesPlaceholder: () => 'Type or paste values, then press Enter',
  splitAt: (separator: Separator) => (separator === ';' ? 'Split at semicolons' : 'Split at spaces'),
  valuesOf: (attribute: string) => (attribute === '' ? 'Values' : `Values for ${attribute}`),
  removeValue: (value: string) => `Remove ${value}`,
  emptyText: () => '(empty text)',
  showAllValues: (count: number) => `Show all ${number(count)}`,
  fix: (count: number) => `Fix ${plural(count, 'field', 'fields')} before saving.`,
  problem: ({ kind }: ConditionProblem) =>
    kind === 'attribute' ? 'Enter an attribute.' : 'Enter at least one value.',
};
