import { plural } from '../messages/format';

/** The text about what became of each flag. */
export const editWords = {
  refused: (count: number) => `${plural(count, 'flag', 'flags')} did not change`,
  results: () => 'Result for each flag',
  flag: () => 'Flag',
  result: () => 'Result',
  changed: () => 'Changed',
  approvalNeeded: () => 'The environment is protected. Open the flag and request approval.',
};
