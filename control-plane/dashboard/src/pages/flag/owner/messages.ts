export const owner = {
  unowned: () => 'Unowned',
  owner: () => 'Owner',
  ofFlag: (name: string) => `Owner: ${name}`,
  former: () => 'A former member',
  set: () => 'Set owner',
  change: () => 'Change owner',
};
