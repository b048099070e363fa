import { number } from '../../../messages/format';
import { LONGEST_NAME, MOST } from './saved';

export const savedWords = {
  title: () => 'Saved filters',
  text: () => 'Kept in this browser until you sign out.',
  list: () => 'Saved filters of this project',
  none: () => 'No filters saved yet. Choose filters in the list of flags, then save them here.',
  name: () => 'Name for the current filters',
  nameText: () => `Up to ${number(LONGEST_NAME)} characters. The name of a saved filter replaces it.`,
  save: () => 'Save filters',
  unfiltered: () => 'No filters are set. Choose some in the list of flags to save them.',
  noRoom: () => `You can save ${number(MOST)} filters for a project. Delete one first.`,
  remove: (name: string) => `Delete ${name}`,
  close: () => 'Close',
};
