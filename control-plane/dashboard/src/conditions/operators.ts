/** The operators of conditions, as the editor offers them. */
import type { Condition } from '../api/model';

/** `missing` is no operator of the API: it is `exists` with the one value `false`. */
export const CHOICES = [
  'in',
  'notIn',
  'eq',
  'neq',
  'contains',
  'startsWith',
  'endsWith',
  'regex',
  'gt',
  'gte',
  'lt',
  'lte',
  'exists',
  'missing',
] as const;

export type OperatorChoice = (typeof CHOICES)[number];

const COMPARISONS = ['gt', 'gte', 'lt', 'lte'];

/** How many values an operator reads: comparisons read the first alone. */
export function valuesOf(choice: OperatorChoice): 'none' | 'one' | 'many' {
  if (choice === 'exists' || choice === 'missing') return 'none';
  return COMPARISONS.includes(choice) ? 'one' : 'many';
}

export function isComparison(operator: string): boolean {
  return COMPARISONS.includes(operator);
}

/** Whether a condition holds for contexts without the attribute. */
export function asksForAbsence({ operator, values }: Condition): boolean {
  if (operator === 'exists') return values.length === 1 && values[0]?.toLowerCase() === 'false';
  return operator === 'neq' && values.length === 0;
}

/** The choice in the list of operators that a condition has. */
export function choiceOf(condition: Condition): OperatorChoice {
  if (condition.operator === 'exists') return asksForAbsence(condition) ? 'missing' : 'exists';
  return CHOICES.find(choice => choice === condition.operator) ?? 'in';
}

/** The condition with another operator; its values stay where the operator reads any. */
export function withChoice(condition: Condition, choice: OperatorChoice): Condition {
  if (choice === 'missing') return { ...condition, operator: 'exists', values: ['false'] };
  if (choice === 'exists') return { ...condition, operator: 'exists', values: [] };
  const isFromExists = condition.operator === 'exists';
  const kept = isFromExists ? [] : condition.values;
  return { ...condition, operator: choice, values: valuesOf(choice) === 'one' ? kept.slice(0, 1) : kept };
}
