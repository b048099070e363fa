import { ago, dateTime, plural } from '../../../messages/format';

/** The text about archived flags. */
export const archived = {
  title: () => 'Archived',
  about: (iso: string) =>
    `This flag was archived ${dateTime(iso)}. Apps that ask for it get the fallback in their own code. Its states and history are kept.`,
  meanwhile: () => 'Someone archived this flag. Restore it before you save changes.',
  restore: () => 'Restore',
  restoreOf: (key: string) => `Restore ${key}`,
  restoreTitle: (key: string) => `Restore ${key}?`,
  restoreText: () =>
    'It serves the same values as before, in every environment. Scheduled times that have passed are left out.',
  restored: (key: string) => `${key} is restored.`,
  delete: () => 'Delete for good',
  deleteOf: (key: string) => `Delete ${key} for good`,
  deleteTitle: (key: string) => `Delete ${key} for good?`,
  deleteText: () => 'Its states are lost, and its key can be used again. Its history is kept.',
  deleted: (key: string) => `${key} is deleted.`,
  mayNot: () => 'You can’t restore or delete flags. Ask an owner or admin for access.',
  list: () => 'Archived flags',
  lead: () => 'To your apps, an archived flag does not exist. You can restore it, or delete it for good.',
  back: () => 'All flags',
  count: (total: number) => plural(total, 'archived flag', 'archived flags'),
  none: () => 'No archived flags',
  flag: () => 'Flag',
  at: () => 'Archived',
  ago: (iso: string, now: number) => ago(iso, now),
  more: () => 'Show more',
};
