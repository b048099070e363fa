import { expect, it } from 'vitest';
import { isMet, PASSWORD_RULES } from './password';

function open(password: string) {
  return PASSWORD_RULES.filter(rule => !isMet(rule, password));
}

it.each([
  ['', ['length', 'upper', 'lower', 'digit', 'special']],
  ['Correct-Horse-7', []],
  ['correct-horse-7', ['upper']],
  ['CORRECT-HORSE-7', ['lower']],
  ['Correct-Horse', ['digit']],
  ['CorrectHorse7', ['special']],
  ['Correct Horse 7', ['special']],
  ['Ab-1', ['length']],
  ['Éé-12345', []],
  ['Aa1😀😀😀😀😀', []],
])('%s lacks %j', (password, rules) => {
  expect(open(password)).toEqual(rules);
});
