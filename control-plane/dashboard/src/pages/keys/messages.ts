import { ago, date, dateTime, plural } from '../../messages/format';

const TYPES: Record<string, string> = { server: 'Server', client: 'Client' };

const TYPE_TEXTS: Record<string, string> = {
  server: 'For programs on machines of yours. Keep it secret: whoever has it can ask for every flag here.',
  client:
    'For browsers and apps, where everybody can read it. Put nothing into flags that users may not see.',
};

const SPANS: Record<string, string> = {
  '0': 'Not at all: it stops at once',
  '1': 'One hour',
  '24': 'One day',
  '168': 'One week',
  '720': '30 days',
};

export const apiKeys = {
  title: (environment: string) => `API keys of ${environment}`,
  lead: () =>
    'A program shows a key when it asks for flags. A key opens this environment only, and changes nothing.',
  create: () => 'Create an API key',
  table: () => 'API keys in use',
  endedTable: () => 'API keys that ended',
  name: () => 'Name',
  nameText: () => 'Who uses it, for example "shop backend".',
  type: () => 'Type',
  typeName: (type: string) => TYPES[type] ?? type,
  typeText: (type: string) => TYPE_TEXTS[type] ?? '',
  sameRights: () =>
    'Both types may do the same: evaluate flags, follow changes, and report events, in this environment.',
  created: () => 'Created',
  used: () => 'Last used',
  never: () => 'Never',
  ends: () => 'Ends',
  endsNever: () => 'Never',
  endsAt: (iso: string) => date(iso),
  endsIn: (span: string) => `in ${span}`,
  ended: () => 'Ended',
  revokedAt: (iso: string, now: number) => `Revoked ${ago(iso, now)}`,
  expiredAt: (iso: string, now: number) => `Expired ${ago(iso, now)}`,
  ago: (iso: string, now: number) => ago(iso, now),
  at: (iso: string) => dateTime(iso),
  prefix: (prefix: string) => `${prefix}…`,
  expiry: () => 'It ends',
  expiryChoice: (days: string) =>
    days === 'never'
      ? 'Never'
      : days === 'other'
        ? 'After a number of days'
        : `After ${plural(Number(days), 'day', 'days')}`,
  days: () => 'Days',
  daysText: () => 'From 1 to 3,650.',
  daysWrong: () => 'Write a whole number from 1 to 3,650.',
  makeTitle: () => 'Create an API key',
  make: () => 'Create the key',
  shownTitle: () => 'Copy the key now',
  shownText: () =>
    'It is shown this once. It is not stored, so nobody can show it again: whoever loses it creates another.',
  key: () => 'API key',
  copyKey: () => 'Copy the key',
  tryTitle: () => 'Try it',
  tryText: (flag: string) => `This asks for ${flag} as one user of your program would:`,
  copyCommand: () => 'Copy the command',
  kept: () => 'I have kept it',
  rotate: () => 'Rotate',
  rotateOf: (name: string, prefix: string) => `Rotate ${name}, ${prefix}`,
  rotateTitle: (name: string) => `Rotate ${name}?`,
  rotateText: () =>
    'A new key of the same name and type takes its place. The old one goes on for a while, so that you can change your programs one by one.',
  grace: () => 'The old key goes on for',
  graceChoice: (hours: string) => SPANS[hours] ?? hours,
  graceEnds: (at: number) => `The old key stops at ${dateTime(new Date(at).toISOString())}.`,
  graceNone: () => 'The old key stops at once. Programs that use it are refused until they have the new one.',
  rotateConfirm: () => 'Rotate the key',
  revoke: () => 'Revoke',
  revokeOf: (name: string, prefix: string) => `Revoke ${name}, ${prefix}`,
  revokeTitle: (name: string) => `Revoke ${name}?`,
  revokeText: () => 'Every program that uses it is refused at once. This cannot be undone.',
  revokeConfirm: () => 'Revoke the key',
  revoked: (name: string) => `${name} is revoked.`,
  useNever: () => 'It has never been used.',
  useRecent: (iso: string, now: number) =>
    `It was used ${ago(iso, now)}: a program very likely depends on it.`,
  usePast: (iso: string, now: number) => `It was last used ${ago(iso, now)}.`,
  showEnded: (count: number) => `Show ${plural(count, 'ended key', 'ended keys')}`,
  hideEnded: () => 'Hide ended keys',
  emptyTitle: () => 'No API keys in use',
  empty: () => 'A program needs a key of this environment to ask for its flags.',
};
