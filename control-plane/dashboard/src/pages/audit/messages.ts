import { agoToTheSecond, dateTimeZone, number, plural } from '../../messages/format';

/** Actions whose name alone would not say enough. */
const ACTIONS: Record<string, string> = {
  'auth.registered': 'Signed up',
  'auth.login': 'Signed in',
  'auth.login_failed': 'Failed to sign in',
  'auth.locked': 'Sign-in locked',
  'auth.logout': 'Signed out',
  'auth.email_verified': 'Verified their email',
  'auth.password_reset': 'Reset their password',
  'auth.token_reused': 'Session ended: its token was used twice',
  'auth.one_time_token_issued': 'Issued a one-time sign-in link',
  'flag.state_updated': 'Changed flag',
  'flag.updated': 'Changed flag details',
  'flag.killed': 'Used the kill switch on flag',
  'flag.promoted': 'Promoted flag',
  'flag.rolled_back': 'Restored an earlier version of flag',
  'flag.scheduled_toggle': 'Ran the schedule of flag',
  'flag.approved_change_applied': 'Applied an approved change of flag',
  'approval.created': 'Requested approval for flag',
  'approval.approved': 'Approved a change of flag',
  'approval.rejected': 'Rejected a change of flag',
  'approval.withdrawn': 'Withdrew the request for flag',
  'approval.commented': 'Commented on the request for flag',
  'change_set.created': 'Drafted change set',
  'change_set.updated': 'Edited change set',
  'change_set.requested': 'Requested approval for change set',
  'change_set.approved': 'Approved change set',
  'change_set.rejected': 'Rejected change set',
  'change_set.reopened': 'Reopened change set',
  'change_set.scheduled': 'Scheduled change set',
  'change_set.applied': 'Applied change set',
  'change_set.failed': 'Could not apply change set',
  'grant.created': 'Gave grant',
  'grant.updated': 'Changed grant',
  'grant.deleted': 'Withdrew grant',
  'member.joined': 'Joined as member',
  'member.role_changed': 'Changed the role of member',
  'member.permissions_updated': 'Changed environment permissions of member',
  'mfa.enrolment_started': 'Started to set up two-factor authentication',
  'mfa.enabled': 'Turned on two-factor authentication',
  'mfa.disabled': 'Turned off two-factor authentication',
  'organization.deleted': 'Deleted the organization for good',
  'organization.soft_deleted': 'Deleted the organization',
  'organization.restored': 'Restored the organization',
  'billing.checkout_started': 'Started a checkout',
  'billing.subscription_activated': 'Activated the subscription',
  'billing.subscription_updated': 'Changed the subscription',
  'billing.subscription_canceled': 'Canceled the subscription',
  'billing.payment_failed': 'Recorded a failed payment',
  'billing.gateway_changed': 'Changed the payment gateway',
  'billing.plan_changed': 'Changed the plan',
  'scim.user_provisioned': 'Provisioned user',
  'scim.user_updated': 'Changed user',
  'scim.user_deactivated': 'Deactivated user',
  'scim.user_removed': 'Removed user',
  'scim.token_created': 'Created a SCIM token',
  'scim.token_revoked': 'Revoked a SCIM token',
  'sign_in.provider_created': 'Added the sign-in provider',
  'sign_in.provider_updated': 'Changed the sign-in provider',
  'sign_in.provider_deleted': 'Removed the sign-in provider',
  'sign_in.domain_added': 'Added the sign-in domain',
  'sign_in.domain_proven': 'Proved the sign-in domain',
  'sign_in.domain_removed': 'Removed the sign-in domain',
  'sign_in.domain_lost': 'Found no record of the sign-in domain',
  'sign_in.identity_unbound': 'Unbound from a provider: member',
  'sign_in.rules_changed': 'Changed the sign-in rules of organization',
  'sign_in.member_provisioned': 'First signed in by a provider: member',
  'access_token.refused': 'Refused the ended access token',
  'migration.started': 'Started an import',
  'migration.completed': 'Completed an import',
  'migration.failed': 'Recorded a failed import',
  'metrics.counters_reset': 'Reset the evaluation counters',
  'metrics.impressions_flushed': 'Flushed the impressions',
};

const VERBS: Record<string, string> = {
  created: 'Created',
  updated: 'Changed',
  deleted: 'Deleted',
  archived: 'Archived',
  restored: 'Restored',
  removed: 'Removed',
  revoked: 'Revoked',
  rotated: 'Rotated',
  invited: 'Invited',
};

const THINGS: Record<string, string> = {
  access_token: 'access token',
  api_key: 'API key',
  approval: 'approval request',
  auth: 'sign-in',
  mfa: 'two-factor authentication',
  scim: 'SCIM',
  service_account: 'service account',
};

function thing(type: string): string {
  return THINGS[type] ?? type.replaceAll('_', ' ');
}

/** `webhook.deleted` as "Deleted webhook". */
function action(name: string): string {
  const known = ACTIONS[name];
  if (known !== undefined) return known;
  const [type = '', deed = ''] = name.split('.');
  const verb = VERBS[deed];
  if (verb !== undefined) return `${verb} ${thing(type)}`;
  const words = `${thing(type)} ${deed.replaceAll('_', ' ')}`;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const FILTERS: Record<string, string> = {
  q: 'Search',
  project_id: 'Project',
  env_id: 'Environment',
  actor_id: 'Person',
  action: 'Action',
  resource_type: 'Action',
  resource_id: 'One thing only',
  from: 'start day',
  to: 'end day',
};

export const audit = {
  title: () => 'Audit log',
  lead: () => 'Who changed what, and when. Entries stay after the thing they are about is deleted.',
  search: () => 'Search by person, action, key or name',
  searchRefused: () =>
    'Use at most 5 words and 200 characters. A word that fits too many names has to be longer.',
  project: () => 'Project',
  anyProject: () => 'All projects',
  environment: () => 'Environment',
  anyEnvironment: () => 'All environments',
  person: () => 'Person',
  anyPerson: () => 'Everyone',
  otherPerson: () => 'One person',
  action: () => 'Action',
  anyAction: () => 'All actions',
  allOf: (type: string) => `Everything about ${thing(type)}`,
  actionName: action,
  /** After a name: `Ada changed flag`. */
  deed: (name: string) => action(name).replace(/^[A-Z](?=[a-z])/, letter => letter.toLowerCase()),
  time: () => 'Time',
  times: {
    any: 'Any time',
    hour: 'Last hour',
    day: 'Last 24 hours',
    week: 'Last 7 days',
    month: 'Last 30 days',
    custom: 'Custom',
  },
  start: () => 'Start day',
  end: () => 'End day',
  clear: () => 'Clear filters',
  drop: (filter: string) => `Remove ${FILTERS[filter] ?? filter}`,
  trailOf: (name: string) => `Only entries about ${name}`,
  trailBy: (name: string) => `Only entries by ${name}`,
  oneThing: () => 'one thing',
  onePerson: () => 'one person',

  live: () => 'Follow live',
  fresh: (count: number) => `Show ${plural(count, 'new entry', 'new entries')}`,
  total: (count: number, isMore: boolean) =>
    isMore && count >= 10_000 ? `More than ${number(10_000)} entries` : plural(count, 'entry', 'entries'),
  entries: () => 'Entries, newest first',
  loadingMore: () => 'Loading older entries…',
  failedMore: () => 'Older entries could not be loaded.',
  retry: () => 'Try again',
  end_: () => 'That is the oldest entry.',
  none: () => 'No entries yet',
  noneText: () => 'Every change in the organization appears here, with the person who made it.',
  noMatch: () => 'No entry matches',
  noMatchText: () => 'Remove a filter to see more entries.',

  system: () => 'Halyard',
  gone: () => 'A deleted key or former member',
  ago: (iso: string, now: number) => agoToTheSecond(iso, now),
  at: (iso: string) => dateTimeZone(iso),
  inEnvironment: (name: string) => `in ${name}`,
  more: (count: number) => `and ${plural(count, 'more change', 'more changes')}`,
  details: () => 'Details',
  detailsOf: (what: string) => `Details: ${what}`,
  hide: () => 'Hide details',
  whole: () => 'What changed',
  before: () => 'Before',
  after: () => 'After',
  metadata: () => 'More',
  facts: (iso: string, ip: string | null) =>
    ip === null ? dateTimeZone(iso) : `${dateTimeZone(iso)} · from ${ip} ·`,
  omitted: () => 'Parts of this entry were too large to keep. Their size and SHA-256 stand in their place.',
  asItWas: () => 'Open this version',
  openHistory: () => 'Open history',
  request: () => 'Open the approval request',
  changeSet: () => 'Open the change set',
  allAbout: () => 'All entries about this',
  allBy: (name: string) => `All entries by ${name}`,

  export: () => 'Export CSV',
  exporting: (count: number) => `Exporting… ${plural(count, 'part', 'parts')}`,
  exported: () => 'Exported.',
  exportedPart: (entries: number) =>
    `Exported the newest ${number(entries)} entries. Choose a shorter time to export the rest.`,
};
