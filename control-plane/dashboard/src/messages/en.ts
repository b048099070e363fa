/** The text of the frame and the palette. Pages have theirs in a `messages.ts` of their own; a test fails on text anywhere else. */
import { plural } from './format';
import { t as open } from './open';

const frame = {
  skip: () => 'Skip to the content',
  navigation: () => 'Main',
  openNavigation: () => 'Open the menu',
  project: () => 'Project',
  projectOf: (name: string) => `Project: ${name}`,
  noProject: () => 'No project',
  flags: () => 'Flags',
  segments: () => 'Segments',
  changeSets: () => 'Change sets',
  projectSettings: () => 'Project settings',
  insights: () => 'Insights',
  compare: () => 'Compare',
  newProject: () => 'Create a project',
  settings: () => 'Settings',
  firstRun: () => 'Get started',
  account: () => 'Account',
  security: () => 'Security',
  approvals: () => 'Approvals',
  audit: () => 'Audit log',
  fleet: () => 'Fleet',
  webhooks: () => 'Webhooks',
  migration: () => 'Import',
  team: () => 'Team',
  billing: () => 'Billing',
  scim: () => 'SCIM',
  signIn: () => 'Sign-in',
  environments: () => 'Environments',
  search: () => 'Search or jump to',
  searchShort: () => 'Search',
  accountMenu: (name: string) => `Account of ${name}`,
  theme: () => 'Theme',
  themeSystem: () => 'System',
  themeLight: () => 'Light',
  themeDark: () => 'Dark',
  organization: () => 'Organization',
  signOut: () => 'Sign out',
  signOutEverywhere: () => 'Sign out everywhere',
  keys: () => 'Keyboard shortcuts',
  singleKeys: () => 'Use single-key shortcuts',
  live: () => 'Live',
  liveOff: () => 'Not live',
  liveText: () => 'Changes by others appear immediately.',
  liveOffText: () => 'The page refreshes every 10 seconds.',
};

const palette = {
  title: () => 'Search or jump to',
  placeholder: () => 'Find a flag, a page or an action',
  none: () => 'Nothing matches. Try another word.',
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
    `Your changes in ${environments} are not saved. Leaving discards ${count === 1 ? 'them' : plural(count, 'draft', 'drafts')}.`,
  drop: () => 'Discard and leave',
  stay: () => 'Stay',
};

const comment = {
  label: () => 'Comment (optional)',
  text: () => 'Why you make this change. Shown in the history and the audit log.',
};

export const t = { ...open, comment, frame, leaving, palette };
