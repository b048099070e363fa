import { dateTime } from '../messages/format';

export const sampling = {
  title: (name: string) => `Sampling of ${name}`,
  text: () =>
    'With samples of real requests, Halyard can say what a change would have changed before it is saved.',
  kept: () =>
    'Of some requests edges keep which flag was asked for, the attributes below, and the key of the user. They keep this for 24 hours, in memory alone, and drop it as soon as sampling is switched off.',
  enabled: () => 'Keep samples of requests',
  since: (iso: string) => `On since ${dateTime(iso)}.`,
  attributes: () => 'Attributes to keep',
  attributesText: () =>
    'At most 20. All others are left out. Name those that rules ask for: without them the estimate is wrong.',
  attributesPlaceholder: () => 'plan, country …',
  suggestions: () => 'Segments ask for',
  add: (name: string) => `Add ${name}`,
  keys: () => 'Keys of users',
  keysOf: {
    hashed: 'Hashed',
    plain: 'As they are',
  },
  keysText: {
    hashed: 'Each edge hashes them with a secret of its own. Rules that name users by key match nobody.',
    plain: 'Rules that name users by key are tried as well. Keys may be personal data.',
  },
  drops: (isOn: boolean) =>
    isOn
      ? 'Saving drops the samples that edges have. New ones add up over the next 24 hours.'
      : 'Saving drops the samples that edges have.',
  guarded: (name: string) =>
    `Changes in ${name} need approval, so only owners and admins who may review them can change this.`,
  saved: (name: string, isOn: boolean) =>
    isOn ? `Edges keep samples of requests in ${name}.` : `Edges keep no samples of requests in ${name}.`,
};
