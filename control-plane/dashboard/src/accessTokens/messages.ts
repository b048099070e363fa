import { ago, date, dateTime, list, plural } from '../messages/format';

const SPANS: Record<string, string> = {
  '0': 'No time: it stops right away',
  '1': 'One hour',
  '24': 'One day',
  '168': 'One week',
};

/** `Shop and Web`, `Shop, Web and 2 others`, `2 others` while no name is known. */
function named(names: readonly string[], others: number): string {
  return list(others === 0 ? names : [...names, plural(others, 'other', 'others')]);
}

export const accessTokens = {
  title: () => 'Access tokens',
  lead: () =>
    'Programs call the API with a token. It may do what you may do at that moment, within its limits, and keeps working after you sign out.',
  leadOfAccount: () =>
    'Programs call the API with a token, as this service account. It may do what the account may do at that moment, within its limits.',
  create: () => 'Create a token',
  name: () => 'Name',
  nameText: () => 'The program that uses it, for example “deploy”.',
  created: (iso: string, now: number) => `Created ${ago(iso, now)}`,
  at: (iso: string) => dateTime(iso),
  ago: (iso: string, now: number) => ago(iso, now),
  limits: () => 'Limits',
  unlimited: () => 'None',
  atMost: (role: string) => `${role} at most`,
  readOnly: () => 'Read-only',
  inProjects: (names: readonly string[], others: number) => `Projects: ${named(names, others)}`,
  inEnvironments: (names: readonly string[], others: number) => `Environments: ${named(names, others)}`,
  environmentOf: (environment: string, project: string) => `${environment} of ${project}`,
  used: () => 'Last used',
  never: () => 'Never',
  usedFrom: (address: string) => `from ${address}`,
  ends: () => 'Expires',
  endsAt: (iso: string) => date(iso),
  soon: () => 'Soon',
  expired: () => 'Expired',
  emptyTitle: () => 'No access tokens',
  empty: () => 'Create one for a script or a pipeline, so that it needs no password.',

  makeTitle: () => 'Create an access token',
  expiry: () => 'Expires',
  expiryChoice: (days: string) =>
    days === 'day' ? 'At the end of a day' : `After ${plural(Number(days), 'day', 'days')}`,
  day: () => 'Last day',
  dayWrong: () => 'Choose a day from today on, at most a year from now.',
  most: () => 'Role at most',
  mostText: () => 'It never exceeds your own role, also after your role changes.',
  mostTextOfAccount: () => 'It never exceeds the role of the account, also after that changes.',
  same: () => 'The same as yours',
  sameAsAccount: () => 'The same as the account’s',
  onlyReads: () => 'Read-only: it changes nothing',
  projects: () => 'Projects',
  allProjects: () => 'All, and everything of the organization',
  someProjects: () => 'Only these, and nothing outside of them',
  noProject: () => 'Choose at least one project.',
  environments: () => 'Environments',
  allEnvironments: () => 'All of these projects',
  someEnvironments: () => 'Only these: it changes nothing elsewhere',
  environmentsOf: (project: string) => `Environments of ${project}`,
  noEnvironment: () => 'Choose at least one environment.',
  make: () => 'Create the token',
  shownTitle: () => 'Copy the token now',
  shownText: () => 'It is shown only once and is not stored. If you lose it, create another one.',
  token: () => 'Access token',
  copyToken: () => 'Copy the token',
  kept: () => 'I’ve saved it',

  rotate: () => 'Rotate',
  rotateOf: (name: string, created: string) => `Rotate ${name}, created ${dateTime(created)}`,
  rotateTitle: (name: string) => `Rotate ${name}?`,
  rotateText: () =>
    'Creates a new token with the same limits and the same lifetime. The old token keeps working for a while, so that you can update your programs one by one.',
  overlap: () => 'The old token keeps working for',
  overlapChoice: (hours: string) => SPANS[hours] ?? hours,
  overlapEnds: (iso: string) => `The old token stops working at ${dateTime(iso)}.`,
  overlapNone: () =>
    'The old token stops working right away. Programs that use it are refused until they have the new one.',
  rotateConfirm: () => 'Rotate the token',

  revoke: () => 'Revoke',
  revokeOf: (name: string, created: string) => `Revoke ${name}, created ${dateTime(created)}`,
  revokeTitle: (name: string) => `Revoke ${name}?`,
  revokeText: () => 'Programs that use it are refused right away. This cannot be undone.',
  revokeExpired: () => 'It has expired: no program can use it. It disappears from this list.',
  usedLast: (iso: string, now: number) => `It was last used ${ago(iso, now)}.`,
  usedNever: () => 'It has never been used.',
  revokeConfirm: () => 'Revoke the token',
  revoked: (name: string) => `${name} is revoked.`,
};
