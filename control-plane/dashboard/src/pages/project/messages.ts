import { plural } from '../../messages/format';

export const projects = {
  title: () => 'Project settings',
  general: () => 'General',
  slugText: () => 'Part of the addresses of the pages of this project.',
  slugChange: (from: string, to: string) =>
    `The addresses of these pages change from /p/${from} to /p/${to}, and links to the old ones stop working. Your apps are not affected.`,
  saved: (name: string) => `${name} is saved.`,
  id: () => 'Project ID',
  copyId: () => 'Copy the ID',
  dangerTitle: () => 'Delete this project',
  dangerText: () => 'Everything in it is deleted, and apps that use its API keys are refused right away.',
  delete: () => 'Delete the project',
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteText: () => 'This cannot be undone. You lose:',
  lostFlags: (count: number) => `${plural(count, 'flag', 'flags')}, with their states in every environment`,
  lostSegments: (count: number) => plural(count, 'segment', 'segments'),
  lostEnvironments: (count: number) =>
    count === 1
      ? '1 environment, and its API keys'
      : `${plural(count, 'environment', 'environments')}, and their API keys`,
  refusedPrograms: () => 'Apps that use a key of this project are refused right away.',
  deleted: (name: string) => `${name} is deleted.`,
  noneTitle: () => 'No project yet',
  none: () => 'Flags, segments and environments belong to a project. Create the first one.',
  create: () => 'Create a project',
  createText: () =>
    'A project has its own flags, segments and environments. It starts with Development and Production.',
  created: (name: string) => `Created ${name}, with the environments Development and Production.`,
  createdBare: (name: string) => `Created ${name}, but not all of its environments. Create them here.`,
};
