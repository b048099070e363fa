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
  [{ conditions: [countries] }, 'Serves true to everyone whose country is one of DE, AT.'],
  [
    { conditions: [countries, plan], percentage: 1250, value: 'x' },
    'Serves “x” to 12.5% of everyone whose country is one of DE, AT and plan does not equal free.',
  ],
  [
    { conditions: [countries, plan], match_type: 'any' as const, segment_keys: ['beta'] },
    'Serves true to everyone in the segment Beta testers whose (country is one of DE, AT or plan does not equal free).',
  ],
  [
    { segment_keys: ['beta', 'x'], value: undefined },
    'Serves 7 to everyone in any of the segments Beta testers, x.',
  ],
  [
    { conditions: [{ attribute: 'plan', operator: 'exists', values: ['FALSE'] }] },
    'Serves true to everyone whose plan is missing.',
  ],
  [
    { conditions: [{ attribute: 'a', operator: 'neq', values: [] }] },
    'Serves true to everyone whose a is missing.',
  ],
  [
    { conditions: [{ attribute: 'n', operator: 'in', values: ['1', '2', '3', '4', '5', '6', '7'] }] },
    'Serves true to everyone whose n is one of 1, 2, 3, 4, 5 and 2 more.',
  ],
])('%j reads as a sentence', (change, sentence) => {
  expect(ruleWords.serves(rule(change), 7, name)).toBe(sentence);
});
