import { ago, date, dateTime, plural } from '../../messages/format';

export const scim = {
  title: () => 'SCIM',
  lead: () =>
    'Your identity provider adds and removes members by itself: people you assign there become members, people you unassign lose access immediately.',
  create: () => 'Create a token',
  table: () => 'SCIM tokens',
  name: () => 'Name',
  nameText: () => 'The provider that uses it, for example “Okta”.',
  unnamed: () => 'Unnamed',
  created: () => 'Created',
  ends: () => 'Expires',
  never: () => 'Never expires',
  at: (iso: string) => dateTime(iso),
  date: (iso: string) => date(iso),
  ago: (iso: string, now: number) => ago(iso, now),
  expired: (iso: string) => `Expired ${date(iso)}`,
  expiry: () => 'Expires',
  expiryChoice: (days: string) =>
    days === 'never' ? 'Never' : `After ${plural(Number(days), 'day', 'days')}`,
  makeTitle: () => 'Create a SCIM token',
  make: () => 'Create the token',
  power: () =>
    'The token may do what you may do now. A token of an owner can also manage owners. After you leave or lose your role it manages developers and viewers only.',
  shownTitle: () => 'Copy the token now',
  shownText: () => 'It is shown only once and is not stored. If you lose it, create another one.',
  token: () => 'SCIM token',
  copyToken: () => 'Copy the token',
  kept: () => 'I’ve saved it',
  revoke: () => 'Revoke',
  revokeOf: (name: string) => `Revoke ${name}`,
  revokeTitle: (name: string) => `Revoke ${name}?`,
  revokeText: () =>
    'The provider is refused immediately: people you assign or unassign there are no longer added or removed here. Members stay as they are. This cannot be undone.',
  revokeConfirm: () => 'Revoke the token',
  revoked: (name: string) => `${name} is revoked.`,
  emptyTitle: () => 'No identity provider is connected',
  empty: () => 'Create a token and enter it at your provider together with the address below.',
  connect: () => 'Enter at your provider',
  connectText: () => 'Every provider asks for an address and a token.',
  address: () => 'SCIM address',
  copyAddress: () => 'Copy the address',
  oktaTitle: () => 'Okta',
  okta: (): readonly string[] => [
    'Open the application, then Provisioning, then Integration, and choose SCIM 2.0.',
    'Paste the address as “SCIM connector base URL” and enter userName as “Unique identifier field for users”.',
    'Choose “Push New Users” and “Push Profile Updates”.',
    'Choose “HTTP Header” as authentication mode and paste the token.',
  ],
  entraTitle: () => 'Microsoft Entra ID',
  entra: (): readonly string[] => [
    'Open the enterprise application, then Provisioning, and choose the mode “Automatic”.',
    'Paste the address as “Tenant URL” and the token as “Secret Token”.',
    'Under Mappings, disable groups, and delete attributes such as title, department and manager.',
  ],
  newMembers: () =>
    'New members get the role that the operator has set, usually Developer. Change it on the team page.',
};
