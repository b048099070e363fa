import { ago, dateTime, plural } from '../../../messages/format';

/** The text about archived flags. */
export const archived = {
  title: () => 'Archived',
  about: (iso: string) =>
    `This flag was archived ${dateTime(iso)}. Software that asks for it gets what its own code falls back to. Its states and its history are kept.`,
  meanwhile: () => 'Somebody archived this flag meanwhile. Nothing of it can be saved until it is restored.',
  restore: () => 'Restore',
  restoreOf: (key: string) => `Restore ${key}`,
  restoreTitle: (key: string) => `Restore ${key}?`,
  restoreText: () =>
    'It serves again what it did before, in every environment at once. Scheduled times that have passed are left out.',
  restored: (key: string) => `${key} is restored.`,
  delete: () => 'Delete for good',
  deleteOf: (key: string) => `Delete ${key} for good`,
  deleteTitle: (key: string) => `Delete ${key} for good?`,
  deleteText: () => 'Its states are lost, and its key can be used again. Its history is kept.',
  deleted: (key: string) => `${key} is deleted.`,
  mayNot: () => 'Your role may neither restore nor delete flags.',
  list: () => 'Archived flags',
  lead: () => 'They answer as if they were deleted. They can be restored, or deleted for good.',
  back: () => 'All flags',
  count: (total: number) => plural(total, 'archived flag', 'archived flags'),
  none: () => 'No flag is archived.',
  flag: () => 'Flag',
  at: () => 'Archived',
  ago: (iso: string, now: number) => ago(iso, now),
  more: () => 'Show more',
};
