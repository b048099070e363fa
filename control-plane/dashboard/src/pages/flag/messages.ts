import { plural } from '../../messages/format';

const TABS: Record<string, string> = {
  targeting: 'Targeting',
  explain: 'Explain',
  insights: 'Insights',
  history: 'History',
  environments: 'All environments',
  settings: 'Settings',
};

/** The text of the page of a flag. */
export const flagWords = {
  back: () => 'All flags',
  copyKey: () => 'Copy the key',
  copied: () => 'Copied',
  tags: () => 'Tags',
  tag: (name: string) => `#${name}`,
  mutex: (group: string) => `Exclusion group ${group}`,
  mutexText: () => 'A user gets at most one flag from the group.',
  dependencies: (required: number, requiring: number) =>
    [
      ...(required > 0 ? [`Requires ${plural(required, 'flag', 'flags')}`] : []),
      ...(requiring > 0
        ? [`${required > 0 ? 'required' : 'Required'} by ${plural(requiring, 'flag', 'flags')}`]
        : []),
    ].join(', '),
  environments: () => 'Environments',
  unsaved: () => 'Unsaved',
  tabs: () => 'Parts of the flag',
  tabName: (tab: string) => TABS[tab] ?? tab,
  noEnvironment: (slug: string) => `This project has no environment ${slug}. Choose another one.`,
  noEnvironmentsTitle: () => 'No environments yet',
  noEnvironments: () => 'Flags are turned on in environments. Create one for this project first.',
  doneServed: (done: string, edges: number) =>
    edges === 0 ? done : `${done} Confirmed by ${plural(edges, 'edge', 'edges')}.`,
  doneLagging: (done: string, edges: string) => `${done} Not there yet: ${edges}.`,
};
