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

const SPANS: Record<number, string> = { 60: 'Minute', [HOUR]: 'Hour', [DAY]: 'Day', [7 * DAY]: 'Week' };

type Hours = NonNullable<Grant['hours']>;

/** What the service takes where only the time zone is given. */
const WORKDAYS: Hours = {
  days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
  from: '00:00',
  until: '24:00',
  time_zone: 'UTC',
};

const hoursOf = ({ days, from, until, time_zone }: Hours) =>
  `${list(days.map(day => sentence(day).slice(0, 3)))}, ${from} to ${until} (${time_zone})`;

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
  /** Those that are offered, with one that another client may have set. */
  spans: (set: number) => [...new Set([600, HOUR, DAY, 7 * DAY, set])].sort((one, other) => one - other),
  span: (seconds: number) => SPANS[seconds] ?? span(seconds),
  lower: () => 'Lower percentages',
  kill: () => 'Switch flags off at any time',
  timed: (hours: Partial<Hours>) => `Move percentages only on ${hoursOf({ ...WORKDAYS, ...hours })}`,
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
    const when = hours === null ? '' : ` ${hoursOf(hours)}`;
    return sentence(`${list(deeds)} ${which}.${when}`);
  },
  editOf: (name: string) => `Edit ${name}`,
  saved: (name: string) => `${name} is saved.`,
  withdraw: () => 'Withdraw',
  withdrawOf: (name: string) => `Withdraw ${name}`,
  withdrawTitle: (name: string) => `Withdraw ${name}?`,
  withdrawConfirm: () => 'Withdraw the grant',
  withdrawText: (holder: string) => `${holder} needs approval for every change from then on.`,
  withdrawn: (name: string) => `${name} is withdrawn.`,
};
