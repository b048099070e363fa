import type { PasswordRule } from './password';

const RULES: Record<PasswordRule, string> = {
  length: 'at least 8 characters',
  upper: 'an uppercase letter',
  lower: 'a lowercase letter',
  digit: 'a number',
  special: 'a symbol, such as - or !',
};

export const passwords = {
  rules: () => 'The password needs',
  rule: (rule: PasswordRule) => RULES[rule],
  ruleMet: () => 'met',
  ruleOpen: () => 'not yet met',
};
