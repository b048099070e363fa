import { number, plural } from '../../messages/format';

const TABS: Record<string, string> = {
  targeting: 'Targeting',
  explain: 'Explain',
  history: 'History',
  settings: 'Settings',
};

/** The text of the page of a flag. */
export const flagWords = {
  back: () => 'All flags',
  copyKey: () => 'Copy the key',
  type: (name: string) => `Type: ${name}`,
  prerequisites: () => 'Needs',
  prerequisitesText: () => 'Serves only whoever these flags are on for.',
  mutex: () => 'Exclusion group',
  mutexText: () => 'A context gets at most one flag of the group.',
  environments: () => 'Environments',
  unsaved: () => 'Not saved',
  tabs: () => 'What to look at',
  tabName: (tab: string) => TABS[tab] ?? tab,
  noEnvironment: (slug: string) => `There is no environment ${slug} in this project. Choose another one.`,
  noEnvironmentsTitle: () => 'No environment',
  noEnvironments: () => 'A flag is switched and targeted in an environment, and the project has none.',
  doneServed: (done: string, edges: number) =>
    edges === 0 ? done : `${done} Confirmed by ${plural(edges, 'edge', 'edges')}.`,
  doneLagging: (done: string, edges: string) => `${done} Not there yet: ${edges}.`,
  dependants: (count: number) =>
    count === 1 ? '1 flag needs this one' : `${number(count)} flags need this one`,
  dependantOn: (environments: string) => `on in ${environments}`,
  dependantOff: () => 'off everywhere',
  dependantsMore: (count: number) => `and ${number(count)} more`,
};
