export const ownerDialog = {
  title: (key: string) => `Owner of ${key}`,
  text: () => 'The owner looks after the flag and decides when it can be removed.',
  member: () => 'Member',
  placeholder: () => 'Search by name or address',
  save: () => 'Set owner',
  me: () => 'Set me as owner',
  remove: () => 'Remove owner',
  saved: (key: string, name: string | null) =>
    name === null ? `${key} has no owner now.` : `${name} now owns ${key}.`,
  changed: () => 'Someone else changed this flag a moment ago. Check its owner, then save again.',
  nobody: () => 'No member matches.',
  choice: (name: string, email: string | null) =>
    email === null || email === name ? name : `${name} (${email})`,
};
