import { ago, date, dateTime, plural } from '../../messages/format';

const ROLE_TEXTS: Record<string, string> = {
  owner: 'Everything, including billing and the organization itself.',
  admin: 'Manages members, API keys, webhooks and approvals.',
  developer: 'Creates and changes flags and segments, where environments allow it.',
  viewer: 'Sees everything, changes nothing.',
};

const BARRIERS: Record<string, string> = {
  permission: 'Your role may not change members. Ask an owner or admin.',
  owner: 'Only an owner can change an owner.',
  self: 'You cannot remove yourself. Ask another owner or admin to do it.',
};

export const team = {
  title: () => 'Team',
  tabs: () => 'Parts of the team page',
  members: () => 'Members',
  environments: () => 'Environments',
  roles: () => 'Custom roles',
  serviceAccounts: () => 'Service accounts',
  lead: () => 'Who works in this organization, and what they may do.',
  search: () => 'Search by name or email',
  count: (count: number) => plural(count, 'member', 'members'),
  found: (count: number, q: string) => `${plural(count, 'member matches', 'members match')} “${q}”.`,
  noMatch: (q: string) => `No member matches “${q}”`,
  noMatchText: () => 'Every word has to be in the name or the email address.',
  showAll: () => 'Show all members',
  table: () => 'Members',
  name: () => 'Name',
  role: () => 'Role',
  joined: () => 'Added',
  lastSignIn: () => 'Last sign-in',
  mfa: () => 'Two-factor',
  on: () => 'On',
  off: () => 'Off',
  never: () => 'Never',
  unknown: () => '–',
  you: () => 'You',
  pending: () => 'Invitation pending',
  customRole: () => 'Custom role',
  ago: (iso: string, now: number) => ago(iso, now),
  at: (iso: string) => dateTime(iso),
  date: (iso: string) => date(iso),
  actionsOf: (name: string) => `Actions for ${name}`,
  barrier: (barrier: string) => BARRIERS[barrier] ?? '',

  invite: () => 'Invite a member',
  email: () => 'Email',
  emailWrong: () => 'Enter an email address, such as ada@example.com.',
  emailText: () => 'They get a mail with a link to join.',
  roleText: (role: string) => ROLE_TEXTS[role] ?? '',
  sendInvitation: () => 'Send the invitation',
  invited: (email: string) => `${email} is invited.`,
  alreadyMember: () => 'This person is a member already.',
  full: () => 'Your plan has no free seat. Remove a member, or choose a larger plan.',
  seePlans: () => 'See plans',
  emptyTitle: () => 'You are the only member',
  empty: () => 'Invite the people who create, review or switch flags. Each of them gets a role.',

  changeRole: () => 'Change role',
  changeRoleOf: (name: string) => `Change the role of ${name}`,
  roleAtOnce: () => 'The new role applies immediately, also in pages that are open.',
  ownRole: () => 'This is your own role. You may not be able to change it back.',
  custom: () => 'Restrict to a custom role',
  customText: () => 'A custom role takes away from the role above, and adds nothing.',
  noCustom: () => 'No restriction',
  roleChanged: (name: string) => `The role of ${name} is changed.`,
  lastOwner: (name: string) =>
    `${name} is the last owner without restrictions. Make another member an owner first.`,

  endSessions: () => 'End all sessions',
  endSessionsOf: (name: string) => `End all sessions of ${name}?`,
  endSessionsText: (name: string) =>
    `${name} is signed out of this organization everywhere within seconds, and has to sign in again. Their access tokens are revoked. Use it for a lost laptop.`,
  endSessionsElsewhere: () => 'Sessions in other organizations go on there.',
  sessionsEnded: (name: string) => `The sessions of ${name} are ended.`,

  remove: () => 'Remove',
  removeOf: (name: string) => `Remove ${name}?`,
  removeText: (name: string) =>
    `${name} is signed out and can no longer open this organization. Their seat is free again.`,
  removeKept: () =>
    'Flags and other things they made stay, and so do their entries in the audit log. Their permissions in environments are deleted.',
  removeConfirm: () => 'Remove the member',
  removed: (name: string) => `${name} is removed.`,
  removeInvitation: (name: string) =>
    `The invitation of ${name} is withdrawn. The link in the mail no longer leads into this organization.`,
  removeSelf: () => 'Members cannot remove themselves. Ask another owner or admin to remove you.',
  removeSelfOwner: () => 'If you are the only owner, make another member an owner first.',

  absentTitle: () => 'There is no such member',
  absent: () => 'They were removed, or the address belongs to another organization.',
  back: () => 'All members',
  about: () => 'About',
  addedOn: (iso: string) => date(iso),
  notSignedIn: () => 'Has not signed in yet',
  rights: () => 'What they may do',
  rightsOf: (role: string) => `As ${role}:`,
  rightsCut: (role: string, custom: string | null) =>
    custom === null
      ? `As ${role}, restricted by a custom role. Owners and admins see its actions on the Enterprise plan.`
      : `As ${role}, restricted by the custom role ${custom}:`,
  environmentsTitle: () => 'Environments',
  sessions: () => 'Sessions',
  sessionsText: () => 'End them when a device is lost or an account may be in the wrong hands.',
  ownSessions: () => 'Your own sessions are on the security page.',
  toSecurity: () => 'Open security',
  identities: () => 'Sign-in by providers',
  identitiesText: () =>
    'A provider is recognised by its identifier for this person. Unbind one that it has replaced; the next sign-in goes by the email address again.',
  provider: () => 'Provider',
  subject: () => 'Identifier',
  firstSignIn: () => 'First sign-in',
  unbind: () => 'Unbind',
  unbindFrom: (provider: string) => `Unbind from ${provider}`,
  unbindTitle: (name: string, provider: string) => `Unbind ${name} from ${provider}?`,
  unbindText: (provider: string) =>
    `Sessions that ${provider} opened end immediately. At the next sign-in, ${provider} has to send a verified address that belongs to this member.`,
  unbound: (name: string, provider: string) => `${name} is unbound from ${provider}.`,
  trail: () => 'Audit log',
  trailText: () => 'What this member did, and what was done to them.',
  theirTrail: () => 'Their actions',
  trailAbout: () => 'Changes of this member',
  removal: () => 'Remove from the organization',
};
