import { plural } from '../../messages/format';
import { flagsPage } from './messages';

export const noMatchWords = {
  noneTitle: () => 'No flag matches',
  none: () => 'Remove a filter, or clear them all.',
  drop: (filter: string, count: number) => `Remove ${filter}: ${plural(count, 'flag', 'flags')}`,
  dropOwner: (name: string) => `the owner “${name}”`,
  dropStatus: (status: string) => `the status ${status}`,
  dropText: (text: string) => `the text “${text}”`,
  dropTag: (tag: string) => `the tag ${tag}`,
  dropType: (type: string) => `the type ${flagsPage.typeName(type)}`,
  dropState: (state: string, environment: string | null) =>
    `the state ${flagsPage.stateName(state)}${environment === null ? '' : ` in ${environment}`}`,
  didYouMean: () => 'Did you mean:',
};

export const noFlagsWords = {
  title: () => 'No flags yet',
  text: () => 'A flag changes what your app does while it runs, separately in each environment.',
  exampleKey: () => 'new-checkout',
  exampleName: () => 'New checkout',
};
