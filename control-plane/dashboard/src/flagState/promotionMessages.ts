import { list, plural } from '../messages/format';

const flags = (count: number) => plural(count, 'flag', 'flags');

/** The text about a promotion that is taken back. */
export const undoing = {
  undo: () => 'Undo',
  undone: (keys: readonly string[], environment: string) =>
    `Restored the earlier state of ${keys.length === 1 ? keys[0] : flags(keys.length)} in ${environment}.`,
  changed: (keys: readonly string[], environment: string) =>
    `Not restored, since someone changed ${keys.length === 1 ? 'it' : 'them'} in ${environment} after the promotion: ${list(keys)}.`,
  failed: (keys: readonly string[], environment: string) =>
    `Could not restore ${list(keys)} in ${environment}. Open the history of the flag to restore an earlier version.`,
};
