import { date, plural } from '../../messages/format';
import { roleName } from '../../parts/messages';

export const providers = {
  title: () => 'Sign-in',
  lead: () =>
    'Members sign in by an identity provider of your organization: Okta, Entra ID, Google Workspace, Keycloak or any other that speaks OpenID Connect.',
  /** Above what a role may only read. */
  ownersOnly: (role: string) =>
    `Your role, ${roleName(role)}, may not change how members sign in. Owners may, since whoever sets a provider up can sign in as any member.`,
  customRole: () => 'Your custom role leaves out that you change how members sign in.',
  planEnded: () =>
    'Your plan no longer includes sign-in providers. Sign-in goes on, and you can remove what is here. To add or change anything you need the Enterprise plan.',

  list: () => 'Providers',
  listText: () => 'Members choose “Continue with your organization” on the sign-in page.',
  add: () => 'Add a provider',
  none: () => 'No provider yet. Register an application at yours, then add it here.',
  provider: () => 'Provider',
  client: () => 'Client',
  withSecret: () => 'With a secret',
  publicClient: () => 'Public client, no secret',
  newMembers: () => 'New members',
  made: (role: string) => `Become ${roleName(role)} at their first sign-in`,
  invited: () => 'Are invited first, or come by SCIM',
  roles: () => 'Roles',
  keptHere: () => 'Kept in Halyard',
  claimed: (claim: string, mappings: number) =>
    `From the claim ${claim}: ${plural(mappings, 'mapping', 'mappings')}`,
  otherwise: (role: string) => `${roleName(role)} without a mapped value`,
  editOf: (name: string) => `Edit ${name}`,
  remove: () => 'Remove',
  removeOf: (name: string) => `Remove ${name}`,
  added: (name: string) => `${name} is added.`,
  saved: (name: string) => `${name} is saved.`,
  removed: (name: string) => `${name} is removed.`,
  removeTitle: (name: string) => `Remove ${name}?`,
  removeSessions: () => 'Sessions that it opened end immediately, and nobody signs in by it any more.',
  removeMembers: () =>
    'People stay members with their roles. Whoever has no password gets one by signing up with the same address, or signs in by another provider.',
  removeForgotten: () =>
    'If you add it again later, it has to know people by a verified address in a proven domain once more. This cannot be undone.',
  removeConfirm: () => 'Remove the provider',
};

export const form = {
  editTitle: (name: string) => `Edit ${name}`,
  nameText: () => 'Members see it when there are several to choose from.',
  issuer: () => 'Issuer',
  issuerText: () =>
    'The address by which the provider names itself, such as https://login.example.com, exactly as it does.',
  otherIssuer: () =>
    'With another issuer, everyone who signed in by this provider is signed out, and is recognised anew by their address.',
  clientId: () => 'Client ID',
  secret: () => 'Client secret',
  secretText: () => 'Leave it empty for a public client, which PKCE alone protects.',
  secretStored: () => 'One is stored. Leave this empty to keep it.',
  secretForgotten: () => 'The stored secret is removed: the client becomes a public one.',
  forget: () => 'Remove the stored secret',
  provisions: () => 'A first sign-in makes somebody a member',
  provisionsText: () =>
    'Within the seats of your plan. Otherwise people are invited before, or come by SCIM.',
  defaultRole: () => 'Default role',
  defaultRoleText: () =>
    'Of members that it makes, and of those for whom the claim says nothing that is mapped.',
  role: (role: string) => roleName(role),
  claim: () => 'Role claim (optional)',
  claimText: () =>
    'The claim that roles are taken from at each sign-in, for example “groups”. Without it roles are kept in Halyard.',
  mappings: () => 'Role mappings',
  mappingsText: () => 'Of several that match, the highest role counts. Owners stay owners.',
  value: () => 'Value of the claim',
  means: () => 'Role',
  addMapping: () => 'Add a mapping',
  removeMapping: (value: string) => (value === '' ? 'Remove the mapping' : `Remove the mapping of ${value}`),
};

export const redirect = {
  title: () => 'Enter at your provider',
  text: () =>
    'Register an application of the kind “web” there, with this address and the scopes openid, email and profile. It gives you the client ID and the secret.',
  address: () => 'Redirect address',
  copy: () => 'Copy the redirect address',
};

export const domains = {
  title: () => 'Domains',
  text: () =>
    'A provider vouches for addresses in proven domains alone. A domain is proven by a TXT record at its name servers; an operator of this installation can vouch for it instead.',
  add: () => 'Add a domain',
  none: () => 'No domain yet: nobody can sign in by a provider for the first time.',
  domain: () => 'Domain',
  domainText: () =>
    'What is behind the @ of your addresses, for example acme.com. Subdomains are added by themselves.',
  state: () => 'State',
  proven: () => 'Proven',
  since: (iso: string) => `since ${date(iso)}`,
  unproven: () => 'Not proven yet',
  record: () => 'TXT record',
  recordDone: () => 'No longer needed',
  recordName: () => 'Name',
  recordValue: () => 'Value',
  copyName: (domain: string) => `Copy the name of the record of ${domain}`,
  copyValue: (domain: string) => `Copy the value of the record of ${domain}`,
  check: () => 'Check now',
  checkOf: (domain: string) => `Check now: ${domain}`,
  isProven: (domain: string) => `${domain} is proven.`,
  added: (domain: string) => `${domain} is added. Create its TXT record, then check it.`,
  remove: () => 'Remove',
  removeOf: (domain: string) => `Remove ${domain}`,
  removed: (domain: string) => `${domain} is removed.`,
  removeTitle: (domain: string) => `Remove ${domain}?`,
  removeText: (domain: string) =>
    `Providers no longer vouch for addresses in ${domain}: nobody new signs in with one. People who have signed in before stay recognised, and their sessions go on.`,
  removeAgain: () => 'If you add it again, it has to be proven by another record.',
  removeConfirm: () => 'Remove the domain',
};

export const rules = {
  title: () => 'Passwords',
  only: () => 'Members sign in only by a provider',
  text: () =>
    'Passwords of members then sign in nowhere in this organization. Owners keep theirs, so that a provider that fails locks nobody out. Access tokens and API keys go on.',
  before: () =>
    'Before you turn it on, somebody has to have signed in by a provider, so that it is known to work.',
  onTitle: () => 'Require a provider?',
  onText: () =>
    'Sessions that members other than owners opened with a password end immediately. They sign in again by the provider.',
  onConfirm: () => 'Require a provider',
  isOn: () => 'Members now sign in only by a provider.',
  isOff: () => 'Members may sign in with their passwords again.',
};
