/** Text of the question before every session ends, loaded with it. */
export const signOut = {
  everywhereTitle: () => 'Sign out everywhere?',
  everywhereText: () =>
    'Signs out every browser and program that uses your account, including this one. API keys keep working.',
};
