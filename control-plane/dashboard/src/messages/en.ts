/** The text of the frame and the palette. Pages have theirs in a `messages.ts` of their own; a test fails on text anywhere else. */
import { plural } from './format';
import { t as open } from './open';

const frame = {
  skip: () => 'Skip to the content',
  navigation: () => 'Main',
  project: () => 'Project',
  projectOf: (name: string) => `Project: ${name}`,
  noProject: () => 'No project',
  flags: () => 'Flags',
  segments: () => 'Segments',
  projectSettings: () => 'Project settings',
  newProject: () => 'Create a project',
  settings: () => 'Settings',
  firstRun: () => 'First run',
  account: () => 'Account',
  security: () => 'Security',
  approvals: () => 'Approvals',
  billing: () => 'Billing',
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
  live: () => 'Live',
  liveOff: () => 'Not live',
  liveText: () => 'Changes by others appear at once.',
  liveOffText: () => 'The event stream is not connected. The page asks again every 10 seconds.',
};

const palette = {
  title: () => 'Search or jump to',
  placeholder: () => 'Type a flag, a page or an action',
  none: () => 'Nothing matches.',
  pages: () => 'Pages',
  projects: () => 'Projects',
  actions: () => 'Actions',
  open: () => 'Open the command palette',
  search: () => 'Go to the search field',
  goTo: (page: string) => `Go to ${page}`,
  switchTo: (project: string) => `Switch to project ${project}`,
  useTheme: (theme: string) => `Theme: ${theme}`,
};

const leaving = {
  title: () => 'Leave without saving?',
  text: (environments: string, count: number) =>
    `What you changed in ${environments} is not saved. Leaving this page drops ${count === 1 ? 'it' : plural(count, 'draft', 'drafts')}.`,
  drop: () => 'Drop it and leave',
  stay: () => 'Stay',
};

export const t = { ...open, frame, leaving, palette };
