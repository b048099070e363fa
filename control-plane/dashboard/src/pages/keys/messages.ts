import { ago, date, dateTime, plural } from '../../messages/format';

const TYPES: Record<string, string> = { server: 'Server', client: 'Client' };

const TYPE_TEXTS: Record<string, string> = {
  server: 'For your servers. Keep it secret: anyone who has it can read every flag of this environment.',
  client: 'For browsers and apps, where anyone can read it. Put nothing into flags that users may not see.',
};

const SPANS: Record<string, string> = {
  '0': 'No time: it stops right away',
  '1': 'One hour',
  '24': 'One day',
  '168': 'One week',
  '720': '30 days',
};

export const apiKeys = {
  title: (environment: string) => `API keys of ${environment}`,
  lead: () => 'Your apps use an API key to read flags from this environment. Keys are read-only.',
  create: () => 'Create an API key',
  table: () => 'API keys in use',
  endedTable: () => 'API keys that ended',
  name: () => 'Name',
  nameText: () => 'The app that uses it, for example "shop backend".',
  type: () => 'Type',
  typeName: (type: string) => TYPES[type] ?? type,
  typeText: (type: string) => TYPE_TEXTS[type] ?? '',
  sameRights: () => 'Both types can evaluate flags, follow changes and report events in this environment.',
  created: () => 'Created',
  used: () => 'Last used',
  never: () => 'Never',
  ends: () => 'Expires',
  endsNever: () => 'Never expires',
  endsAt: (iso: string) => date(iso),
  endsIn: (span: string) => `in ${span}`,
  ended: () => 'Ended',
  revokedAt: (iso: string, now: number) => `Revoked ${ago(iso, now)}`,
  expiredAt: (iso: string, now: number) => `Expired ${ago(iso, now)}`,
  ago: (iso: string, now: number) => ago(iso, now),
  at: (iso: string) => dateTime(iso),
  prefix: (prefix: string) => `${prefix}…`,
  expiry: () => 'Expires',
  expiryChoice: (days: string) =>
    days === 'never'
      ? 'Never expires'
      : days === 'other'
        ? 'After a number of days'
        : `After ${plural(Number(days), 'day', 'days')}`,
  days: () => 'Days',
  daysText: () => 'From 1 to 3,650.',
  daysWrong: () => 'Write a whole number from 1 to 3,650.',
  makeTitle: () => 'Create an API key',
  make: () => 'Create the key',
  shownTitle: () => 'Copy the key now',
  shownText: () => 'It is shown only once, and not stored. If you lose it, create another key.',
  key: () => 'API key',
  copyKey: () => 'Copy the key',
  tryTitle: () => 'Try it',
  tryText: (flag: string) => `This reads ${flag} for one user:`,
  copyCommand: () => 'Copy the command',
  kept: () => "I've saved it",
  rotate: () => 'Rotate',
  rotateOf: (name: string, prefix: string) => `Rotate ${name}, ${prefix}`,
  rotateTitle: (name: string) => `Rotate ${name}?`,
  rotateText: () =>
    'Creates a new key with the same name and type. The old key keeps working for a while, so that you can update your apps one by one.',
  grace: () => 'The old key keeps working for',
  graceChoice: (hours: string) => SPANS[hours] ?? hours,
  graceEnds: (at: number) => `The old key stops working at ${dateTime(new Date(at).toISOString())}.`,
  graceNone: () =>
    'The old key stops working right away. Apps that use it are refused until they have the new one.',
  rotateConfirm: () => 'Rotate the key',
  revoke: () => 'Revoke',
  revokeOf: (name: string, prefix: string) => `Revoke ${name}, ${prefix}`,
  revokeTitle: (name: string) => `Revoke ${name}?`,
  revokeText: () => 'Apps that use it are refused right away. This cannot be undone.',
  revokeConfirm: () => 'Revoke the key',
  revoked: (name: string) => `${name} is revoked.`,
  useNever: () => 'It has never been used.',
  useRecent: (iso: string, now: number) => `It was used ${ago(iso, now)}: an app very likely depends on it.`,
  usePast: (iso: string, now: number) => `It was last used ${ago(iso, now)}.`,
  showEnded: (count: number) => `Show ${plural(count, 'ended key', 'ended keys')}`,
  hideEnded: () => 'Hide ended keys',
  rehearse: () => 'Rehearse',
  rehearseOf: (name: string, prefix: string) => `Rehearse an outage for ${name}, ${prefix}`,
  rehearseTitle: (name: string) => `Rehearse an outage for ${name}?`,
  rehearseText: () =>
    'For a minute at most, edges fail the requests of this key on purpose. Apps that use it serve the defaults in their code. Edges end it by themselves, and you can stop it at any time.',
  rehearseSeconds: () => 'It lasts',
  rehearseSecondsOf: (seconds: string) => plural(Number(seconds), 'second', 'seconds'),
  rehearseFailure: () => 'Requests',
  rehearseFailureOf: (failure: string) =>
    failure === 'silence' ? 'Get no answer until it ends' : 'Are refused at once (503)',
  rehearseConfirm: () => 'Fail the requests now',
  rehearseDiffers: (flags: string) =>
    `Known to change: ${flags}. The code of some apps has other defaults there.`,
  rehearseAgrees: () => 'No app told a default that differs from what it is served.',
  rehearsing: (name: string, seconds: number) =>
    `An outage is rehearsed: requests with ${name} fail on purpose for ${plural(seconds, 'more second', 'more seconds')}.`,
  rehearsingStop: () => 'Stop the rehearsal',
  rehearsingStopped: () => 'The rehearsal is stopped.',
  emptyTitle: () => 'No API keys in use',
  empty: () => 'Your apps need a key of this environment to read its flags.',
};
