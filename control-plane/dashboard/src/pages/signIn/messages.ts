import { clock } from '../../messages/format';
import type { PasswordRule } from './password';

const RULES: Record<PasswordRule, string> = {
  length: 'at least 8 characters',
  upper: 'an upper-case letter',
  lower: 'a lower-case letter',
  digit: 'a digit',
  special: 'a special character, for example - or !',
};

const form = {
  email: () => 'E-mail',
  password: () => 'Password',
  newPassword: () => 'New password',
  name: () => 'Your name',
  organization: () => 'Organization',
  rules: () => 'The password needs',
  rule: (rule: PasswordRule) => RULES[rule],
  ruleMet: () => 'met',
  ruleOpen: () => 'not yet met',
  code: () => 'Six-digit code',
};

const login = {
  title: () => 'Sign in',
  submit: () => 'Sign in',
  forgot: () => 'Forgot your password?',
  newHere: () => 'New here?',
  signUp: () => 'Create an account',
  verified: () => 'Your e-mail address is verified. You can sign in now.',
  reset: () => 'Your new password is set. All other sessions were ended.',
  wrong: () => 'The e-mail address or the password is wrong.',
  mfaTitle: () => 'Second factor',
  mfaText: () => 'Your password is right. Enter the code that your authenticator app shows now.',
  backupText: () => 'Enter one of the backup codes that you kept. Each works once.',
  backupCode: () => 'Backup code',
  useBackup: () => 'Use a backup code',
  useApp: () => 'Use the authenticator app',
  wrongCode: () => 'The code is wrong, or was used already. Wait for the next one.',
  insecure: () =>
    'This address is neither HTTPS nor localhost. The browser does not keep a session here: you will be signed out when the page is reloaded, or after a few minutes.',
};

const handoff = {
  title: () => 'Signing in',
  text: () => 'One moment.',
  failedTitle: () => 'The link does not work',
  failed: () => 'It works once, within five minutes. Ask for a new one, or sign in with your password.',
  toLogin: () => 'Sign in with a password',
};

const signup = {
  title: () => 'Create an account',
  invitedTitle: () => 'Accept the invitation',
  trial: () => 'Everything of the Pro plan for 14 days, without a card.',
  invited: () => 'You were invited. Choose a name and a password to join.',
  organizationOptional: () =>
    'Leave it empty to join only the organization that invited you. A name creates one of your own as well.',
  submit: () => 'Send me a code',
  have: () => 'Have an account?',
  signIn: () => 'Sign in',
  taken: () => 'This address has an account already.',
  signInInstead: () => 'Sign in instead',
  codeTitle: () => 'Check your mail',
  codeText: (email: string) => `We sent a six-digit code to ${email}. It is valid for 10 minutes.`,
  confirm: () => 'Create my account',
  resend: () => 'Send a new code',
  resendIn: (seconds: number) => `New code in ${clock(seconds)}`,
  resent: () => 'A new code is on its way. Earlier ones no longer work.',
  change: () => 'Change the details',
};

const forgot = {
  title: () => 'Reset your password',
  text: () => 'Enter the address of your account. We will send a six-digit code to it.',
  submit: () => 'Send me a code',
  back: () => 'Back to sign-in',
};

const reset = {
  title: () => 'Choose a new password',
  sent: () => 'If the address has an account, a code is on its way. It is valid for 15 minutes.',
  submit: () => 'Set the password',
  again: () => 'Ask for another code',
};

export const signIn = { form, login, handoff, signup, forgot, reset };
