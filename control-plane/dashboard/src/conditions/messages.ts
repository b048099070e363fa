import type { OperatorChoice } from './operators';

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
