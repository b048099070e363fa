import { expect, it } from 'vitest';
import type { Rule } from '../../../api/model';
import { ruleWords } from './messages';

const rule = (change: Partial<Rule>): Rule => ({
  id: 'r',
  priority: 0,
  description: '',
  conditions: [],
  segment_keys: [],
  percentage: 10_000,
  match_type: 'all',
  value: true,
  ...change,
});
const countries = { attribute: 'country', operator: 'in', values: ['DE', 'AT'] };
const plan = { attribute: 'plan', operator: 'neq', values: ['free'] };
const name = (key: string) => ({ beta: 'Beta testers' })[key] ?? key;

it.each([
  [{}, 'Serves true to everyone.'],
  [{ percentage: 2500 }, 'Serves true to 25% of all users.'],
  [{ conditions: [countries] }, 'Serves true to users where country is one of DE, AT.'],
  [
    { conditions: [countries, plan], percentage: 1250, value: 'x' },
    'Serves “x” to 12.5% of users where country is one of DE, AT and plan does not equal free.',
  ],
  [
    { conditions: [countries, plan], match_type: 'any' as const, segment_keys: ['beta'] },
    'Serves true to users in the segment Beta testers where (country is one of DE, AT or plan does not equal free).',
  ],
  [
    { segment_keys: ['beta', 'x'], value: undefined },
    'Serves 7 to users in any of the segments Beta testers, x.',
  ],
  [
    { conditions: [{ attribute: 'plan', operator: 'exists', values: ['FALSE'] }] },
    'Serves true to users where plan is missing.',
  ],
  [
    { conditions: [{ attribute: 'a', operator: 'neq', values: [] }] },
    'Serves true to users where a is missing.',
  ],
  [
    { conditions: [{ attribute: 'n', operator: 'in', values: ['1', '2', '3', '4', '5', '6', '7'] }] },
    'Serves true to users where n is one of 1, 2, 3, 4, 5 and 2 more.',
  ],
])('%j reads as a sentence', (change, sentence) => {
  expect(ruleWords.serves(rule(change), 7, name)).toBe(sentence);
});
