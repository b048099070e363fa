/** The text of the form that signs in. */
export const signingIn = {
  email: () => 'Email',
  password: () => 'Password',
  code: () => 'Six-digit code',
  submit: () => 'Sign in',
  wrong: () => 'Wrong email or password.',
  backupCode: () => 'Backup code',
  useBackup: () => 'Use a backup code',
  useApp: () => 'Use the authenticator app',
  wrongCode: () => 'This code is wrong or was used before. Wait for the next one.',
  mfaText: () => 'Enter the code from your authenticator app.',
  backupText: () => 'Enter one of your backup codes. Each works once.',
  againTitle: () => 'You were signed out',
  again: () => 'Sign in again to continue. Unsaved changes on this page are kept.',
  otherWay: () => 'Go to the sign-in page',
};
