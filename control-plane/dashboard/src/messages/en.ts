/** All text of the interface, by place. A test fails on text that is written anywhere else. */
import { account } from './account';
import { flags } from './flags';
import { clock } from './format';
import { signIn } from './signIn';

const common = {
  product: () => 'Halyard',
  working: () => 'Working',
  loading: () => 'Loading',
  cancel: () => 'Cancel',
  close: () => 'Close',
  back: () => 'Back',
  retry: () => 'Try again',
  reload: () => 'Reload',
  copied: () => 'Copied',
  copyFailed: () => 'The browser did not allow copying. Select the text and copy it by hand.',
  notifications: () => 'Notifications',
  pageTitle: (page: string) => `${page} · Halyard`,
};

const field = {
  showPassword: () => 'Show password',
  hidePassword: () => 'Hide password',
  clearSearch: () => 'Clear search',
};

const refusal = {
  fault: (status: number) => `The service could not answer (status ${status})..`,
  requestId: (id: string) => `Request ${id}`,
  offline: () => 'The service cannot be reached. Check the connection, then try again.',
  tryIn: (seconds: number) => `You can try again in ${clock(seconds)}.`,
  planTitle: () => 'Not part of your plan',
  forbiddenTitle: () => 'You may not open this',
  forbiddenWho: () => 'An owner or admin of your organization can change what your role may do.',
  absentTitle: () => 'Nothing here',
  absent: () => 'It was deleted, never existed, or belongs to another organization.',
  faultTitle: () => 'That did not work',
  toStart: () => 'Go to the start',
};

const frame = {
  skip: () => 'Skip to the content',
  navigation: () => 'Main',
  project: () => 'Project',
  projectOf: (name: string) => `Project: ${name}`,
  noProject: () => 'No project',
  flags: () => 'Flags',
  settings: () => 'Settings',
  account: () => 'Account',
  security: () => 'Security',
  environments: () => 'Environments',
  search: () => 'Search or jump to',
  searchShort: () => 'Search',
  accountMenu: (name: string) => `Account of ${name}`,
  theme: () => 'Theme',
  themeSystem: () => 'As the system',
  themeLight: () => 'Light',
  themeDark: () => 'Dark',
  organization: () => 'Organization',
  signOut: () => 'Sign out',
  signOutEverywhere: () => 'Sign out everywhere',
  signedOutEverywhereTitle: () => 'Sign out everywhere?',
  signOutEverywhereText: () =>
    'Every browser and program that is signed in to your account will be signed out, this one too. API keys keep working.',
  keys: () => 'Keyboard shortcuts',
  keysText: () => 'They work while no field has the focus.',
  singleKeys: () => 'Use single-key shortcuts',
  offline: () =>
    'You are offline. What is shown may be old, and nothing can be changed until the connection is back.',
  live: () => 'Live',
  liveOff: () => 'Not live',
  liveText: () => 'Changes by others appear at once.',
  liveOffText: () => 'The event stream is not connected. The page asks again every 10 seconds.',
  staleTitle: () => 'A new version is here',
  stale: () => 'Halyard was updated since this page was opened. Reload it to go on.',
  brokenTitle: () => 'This page stopped working',
  broken: () => 'An error in the page itself. What was saved is saved.',
  notFoundTitle: () => 'There is no such page',
  notFound: () =>
    'The address leads nowhere. It may have been typed wrong, or belong to something that is gone.',
};

const palette = {
  title: () => 'Search or jump to',
  placeholder: () => 'Type a page or an action',
  none: () => 'Nothing matches.',
  pages: () => 'Pages',
  projects: () => 'Projects',
  actions: () => 'Actions',
  open: () => 'Open the command palette',
  search: () => 'Go to the search field',
  goTo: (page: string) => `Go to ${page}`,
  switchTo: (project: string) => `Switch to project ${project}`,
  useTheme: (theme: string) => `Theme: ${theme}`,
  results: (count: number) => (count === 1 ? '1 result' : `${count} results`),
};

export const t = { common, field, refusal, frame, palette, ...signIn, ...account, flags };
