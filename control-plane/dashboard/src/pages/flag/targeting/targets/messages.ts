import { shownValue } from '../../../../flagState/values';
import { list, number, plural } from '../../../../messages/format';

/** Users who are named in a sentence; the others are counted. */
const NAMED = 5;

function some(keys: readonly string[]): string {
  const others = keys.length - NAMED;
  return others > 0 ? `${keys.slice(0, NAMED).join(', ')} and ${number(others)} more` : list(keys);
}

export const targetWords = {
  title: () => 'Individual users',
  none: () => 'Name users by their key to give them a value before any rule is tried.',
  add: () => 'Add users',
  addAnother: () => 'Add users with another value',
  /** The whole list as one sentence. */
  sentence: (keys: readonly string[], value: unknown) =>
    keys.length === 0 ? `Users who get ${shownValue(value)}` : `${some(keys)} get ${shownValue(value)}`,
  get: () => 'These users get',
  users: (count: number) => plural(count, 'user', 'users'),
  keys: () => 'User keys',
  keysPlaceholder: () => 'Type or paste keys, then press Enter',
  decided: (keys: readonly string[]) => `${some(keys)}: already in a list above, which decides.`,
  remove: (value: unknown) => `Remove the users who get ${shownValue(value)}`,
};
