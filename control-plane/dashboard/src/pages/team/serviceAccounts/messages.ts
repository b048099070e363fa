import { ago, dateTime } from '../../../messages/format';

export const serviceAccounts = {
  lead: () =>
    'Members that no person signs in as: for programs that go on when people leave. They take no seat.',
  table: () => 'Service accounts',
  name: () => 'Name',
  nameText: () => 'What its programs do, for example “Deployments”.',
  role: () => 'Role',
  customRole: () => 'Custom role',
  created: () => 'Created',
  ago: (iso: string, now: number) => ago(iso, now),
  at: (iso: string) => dateTime(iso),
  emptyTitle: () => 'No service accounts',
  empty: () => 'Create one for each program or pipeline that calls the API, with no more than it needs.',

  create: () => 'Create a service account',
  make: () => 'Create the account',
  made: (name: string) => `${name} is created. Give it an access token next.`,

  back: () => 'All service accounts',
  absentTitle: () => 'There is no such service account',
  absent: () => 'It was deleted, or the address belongs to another organization.',
  about: () => 'About',
  actions: () => 'Audit log of its actions',
  rename: () => 'Rename',
  renameTitle: (name: string) => `Rename ${name}`,
  renamed: (name: string) => `It is called ${name} now.`,
  changeRole: () => 'Change role',
  delete: () => 'Delete',
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteText: () =>
    'Its access tokens end, and programs that use them are refused right away. This cannot be undone.',
  deleteKept: () => 'What it made stays, and so do its entries in the audit log.',
  deleteConfirm: () => 'Delete the account',
  deleted: (name: string) => `${name} is deleted.`,
};
