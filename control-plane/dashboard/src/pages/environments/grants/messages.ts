import type { Grant } from '../../../grants/queries';
import { ago, list, number, sentence } from '../../../messages/format';

const HOUR = 3600;
const DAY = 24 * HOUR;

/** Basis points as percentage points. */
const points = (basisPoints: number) => number(basisPoints / 100);

function span(seconds: number): string {
  if (seconds % DAY === 0) return seconds === DAY ? 'day' : `${number(seconds / DAY)} days`;
  if (seconds % HOUR === 0) return seconds === HOUR ? 'hour' : `${number(seconds / HOUR)} hours`;
  return seconds === 60 ? 'minute' : `${number(seconds / 60)} minutes`;
}

export const grants = {
  title: () => 'Grants',
  lead: () =>
    'What somebody may change in a protected environment without approval, within a budget. Everything else becomes a request.',
  none: () => 'No grants. Every change in a protected environment needs approval.',
  table: () => 'Grants of this project',
  give: () => 'Give a grant',
  given: (name: string) => `${name} is given.`,
  name: () => 'Name',
  environment: () => 'Environment',
  free: () => 'Not protected: changes take effect directly there.',
  holder: () => 'Holder',
  kind: () => 'Held by',
  kinds: { member: 'A member', role: 'A custom role', access_token: 'An access token' } as Record<
    string,
    string
  >,
  token: () => 'Id of the access token',
  tags: () => 'Tags',
  tagsText: () => 'Separated by commas. The grant is for flags with one of them; for all flags if empty.',
  allows: () => 'Allows',
  raise: () => 'Raise percentages by at most (points)',
  raiseText: () => 'All flags and rules together.',
  wrongPoints: () => 'Enter a number from 0 to 100.',
  per: () => 'Per',
  spans: { '600': '10 minutes', '3600': 'Hour', '86400': 'Day', '604800': 'Week' } as Record<string, string>,
  lower: () => 'Lower percentages',
  kill: () => 'Switch flags off at any time',
  workdays: (zone: string) => `Move percentages from Monday to Friday only (${zone})`,
  left: () => 'Left',
  leftOf: ({ left, max_raise }: Grant) => `${points(left)} of ${points(max_raise)} points`,
  more: (at: string, now: number) => `more ${ago(at, now)}`,
  closed: (message: string) => sentence(message),
  allowsOf: ({ tags, max_raise, window_seconds, lower, kill, hours }: Grant) => {
    const deeds = [
      ...(max_raise > 0
        ? [`raise percentages by ${points(max_raise)} points per ${span(window_seconds)}`]
        : []),
      ...(lower ? ['lower them'] : []),
      ...(kill ? ['switch flags off at any time'] : []),
    ];
    const which = tags.length === 0 ? 'for all flags' : `for flags tagged ${list(tags)}`;
    const when =
      hours === null
        ? ''
        : ` ${list(hours.days.map(day => sentence(day).replace('.', '').slice(0, 3)))}, ${hours.from} to ${hours.until} (${hours.time_zone})`;
    return sentence(`${list(deeds)} ${which}.${when}`);
  },
  withdraw: () => 'Withdraw',
  withdrawOf: (name: string) => `Withdraw ${name}`,
  withdrawTitle: (name: string) => `Withdraw ${name}?`,
  withdrawConfirm: () => 'Withdraw the grant',
  withdrawText: (holder: string) => `${holder} needs approval for every change from then on.`,
  withdrawn: (name: string) => `${name} is withdrawn.`,
};
