import type { PasswordRule } from './password';
import type { Strength } from './strength';

const RULES: Record<PasswordRule, string> = {
  length: 'at least 8 characters',
  upper: 'an uppercase letter',
  lower: 'a lowercase letter',
  digit: 'a number',
  special: 'a symbol, such as - or !',
};

const STRENGTHS: Record<Strength, string> = { weak: 'Weak', fair: 'Fair', strong: 'Strong' };

export const passwords = {
  rules: () => 'The password needs',
  rule: (rule: PasswordRule) => RULES[rule],
  ruleMet: () => 'met',
  ruleOpen: () => 'not yet met',
  strength: (strength: Strength) => `${STRENGTHS[strength]} password.`,
  longer: () => 'Make it longer: a few unrelated words are easy to remember.',
  personal: () => 'It contains your name or address, which is easy to guess.',
};
