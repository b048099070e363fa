import { clock } from '../../messages/format';
import { signingIn } from '../../signIn/messages';

const form = {
  emailInvalid: () => 'Enter an email address, such as ada@example.com.',
  email: signingIn.email,
  password: signingIn.password,
  newPassword: () => 'New password',
  name: () => 'Your name',
  organization: () => 'Organization',
  code: signingIn.code,
};

const login = {
  title: () => 'Sign in',
  forgot: () => 'Forgot your password?',
  newHere: () => 'New to Halyard?',
  signUp: () => 'Create an account',
  verified: () => 'Your email is verified. Sign in to continue.',
  reset: () => 'Your new password is set. You were signed out everywhere else.',
  ended: () => 'You were signed out. Sign in again to continue.',
  deleted: () => 'The organization is deleted. If you belong to another one, sign in to continue there.',
  mfaTitle: () => 'Two-factor authentication',
};

const handoff = {
  title: () => 'Signing in',
  text: () => 'One moment.',
  failedTitle: () => 'This link no longer works',
  faultTitle: () => 'Could not sign you in',
  failed: () =>
    'A sign-in link works once, within five minutes. Request a new one, or sign in with your password.',
  toLogin: () => 'Sign in with a password',
};

const provider = {
  begin: () => 'Continue with your organization',
  needsEmail: () => 'Enter your email first: its domain tells which organization is yours.',
  none: () => 'No organization signs people in by the domain of this email. Sign in with your password.',
  locked: () => 'Your browser keeps nothing for this page. Allow it to store data, and try again.',
  refused: () => 'Your provider did not sign you in. Try again, or ask whoever manages it.',
  elsewhere: () => 'This sign-in was begun in another tab or browser. Begin again here.',
  toLogin: () => 'Back to sign-in',
};

const signup = {
  title: () => 'Create an account',
  invitedTitle: () => 'Accept the invitation',
  trial: () => 'All Pro features for 14 days. No credit card needed.',
  invited: () => 'Choose a name and a password to join.',
  nameMissing: () => 'Enter your name.',
  emailMissing: () => 'Enter your email.',
  passwordMissing: () => 'Choose a password.',
  organizationMissing: () => 'Name your organization. You can rename it later.',
  submit: () => 'Email me a code',
  have: () => 'Already have an account?',
  signIn: () => 'Sign in',
  taken: () => 'An account with this email already exists.',
  signInInstead: () => 'Sign in instead',
  codeTitle: () => 'Check your email',
  codeText: (email: string) => `We sent a six-digit code to ${email}. It expires in 10 minutes.`,
  confirm: () => 'Create account',
  resend: () => 'Send a new code',
  resendIn: (seconds: number) => `New code in ${clock(seconds)}`,
  resent: () => 'We sent a new code. Earlier codes no longer work.',
  change: () => 'Change your details',
};

const forgot = {
  title: () => 'Reset your password',
  text: () => 'Enter your email, and we will send you a six-digit code.',
  submit: () => 'Email me a code',
  back: () => 'Back to sign-in',
};

const reset = {
  title: () => 'Choose a new password',
  sent: () => 'If this email has an account, we sent a code to it. It expires in 15 minutes.',
  submit: () => 'Set the password',
  again: () => 'Send another code',
};

export const signIn = { form, login, handoff, provider, signup, forgot, reset };
