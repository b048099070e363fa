import { plural } from '../../../messages/format';

export const dependencies = {
  title: () => 'Dependencies',
  none: () => 'This flag requires no other flag, and no flag requires it.',
  text: () => 'A flag on the left has to be on for a user before the flags on its right are.',
  picture: (required: number, requiring: number) =>
    `Picture: requires ${plural(required, 'flag', 'flags')}, required by ${plural(requiring, 'flag', 'flags')}. The list below has the same.`,
  inList: (count: number) => `${plural(count, 'more flag is', 'more flags are')} in the list.`,
  truncated: () => 'There are more flags further away.',
  requires: () => 'Requires',
  requiredBy: () => 'Required by',
  missing: () => 'There is no flag with this key',
  missingShort: () => 'Missing',
  archived: () => 'Archived',
  through: (keys: string) => `through ${keys}`,
  on: (environments: string) => `on in ${environments}`,
  off: () => 'off everywhere',
};

/** The field of a flag's prerequisites. */
export const prerequisites = {
  label: () => 'Prerequisites',
  text: () => 'Users see this flag only if all of these are on for them.',
  add: () => 'Add a flag',
  remove: (key: string) => `Remove ${key}`,
  missing: (key: string) => `There is no flag with the key ${key}.`,
  archived: (key: string) => `The flag ${key} is archived.`,
  effect: () => 'Until you remove it or restore the flag, everyone gets the default value.',
};
