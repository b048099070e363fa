import { expect, it } from 'vitest';
import { regexProblem } from './regex';

it.each([
  ['^test-\\d+$', null],
  ['(?i)beta|gamma', null],
  ['(?P<year>\\d{4})-(?<month>\\d\\d)', null],
  ['(?:a|b)+?', null],
  ['[[:alpha:]]+', null],
  ['[^]()]*', null],
  ['[\\]a]', null],
  ['\\(\\?=', null],
  ['[(?=]', null],
  ['\\p{Greek}', null],
  ['a(?=b)', 'look'],
  ['(?!x)', 'look'],
  ['(?<=x)y', 'look'],
  ['(?<!x)y', 'look'],
  ['(a)\\1', 'reference'],
  ['(a', 'open'],
  ['a)', 'open'],
  ['[a', 'open'],
  ['a\\', 'end'],
  ['*a', 'repeat'],
  ['(+a)', 'repeat'],
  ['a|?', 'repeat'],
  ['a'.repeat(1024), null],
  ['a'.repeat(1025), 'long'],
])('%s: %s', (pattern, problem) => {
  expect(regexProblem(pattern)).toBe(problem);
});
