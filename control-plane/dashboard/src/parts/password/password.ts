/** The rules that the service has for a new password, so that they can be shown as they are met. It still decides. */
export type PasswordRule = 'length' | 'upper' | 'lower' | 'digit' | 'special';

export const PASSWORD_RULES: readonly PasswordRule[] = ['length', 'upper', 'lower', 'digit', 'special'];

const CHECKS: Record<PasswordRule, (password: string) => boolean> = {
  length: password => [...password].length >= 8,
  upper: password => /\p{Uppercase}/u.test(password),
  lower: password => /\p{Lowercase}/u.test(password),
  digit: password => /[0-9]/.test(password),
  special: password => /[^\p{Alphabetic}\p{Number}\s]/u.test(password),
};

export function isMet(rule: PasswordRule, password: string): boolean {
  return CHECKS[rule](password);
}
