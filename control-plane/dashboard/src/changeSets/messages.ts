export const addWords = {
  title: (flag: string, environment: string) => `Add the draft of ${flag} in ${environment} to a change set`,
  text: () =>
    'Nothing changes until the change set is applied, and then everything in it changes together. The draft here is discarded.',
  which: () => 'Change set',
  anew: () => 'A new change set',
  nameText: () => 'What this change is for. Reviewers and the audit log see it.',
  add: () => 'Add to the change set',
  added: (name: string) => `Added to ${name}.`,
  open: () => 'Open the change set',
  moved: () =>
    'Something in this change set, or this flag, has changed meanwhile. Open the change set and compare it again first.',
  edited: () => 'Someone edited this change set just now. Try again.',
};
