import { date, number, plural } from '../../messages/format';

const PLANS: Record<string, string> = { trial: 'Trial', free: 'Free', pro: 'Pro', enterprise: 'Enterprise' };

export const organization = {
  title: () => 'Organization',
  general: () => 'General',
  name: () => 'Name',
  nameText: () => 'Shown to members, in mail and in invitations.',
  save: () => 'Save',
  saved: () => 'The organization is renamed.',
  slug: () => 'Slug',
  slugText: () => 'Operators name the organization by it. It stays the same.',
  id: () => 'ID',
  copyId: () => 'Copy the ID',
  region: () => 'Data region',
  regionText: () => 'Its data stays in this region. The region cannot be changed.',
  since: () => 'Created',
  date: (iso: string) => date(iso),
  planTitle: () => 'Plan and limits',
  plan: () => 'Plan',
  planName: (plan: string) => PLANS[plan] ?? plan,
  trialEnds: (iso: string) => `Trial, until ${date(iso)}`,
  seats: () => 'Members',
  projects: () => 'Projects',
  environments: () => 'Environments',
  used: (used: number, limit: number) =>
    limit === -1 ? `${number(used)}, no limit` : `${number(used)} of ${number(limit)}`,
  usedPerProject: (used: number, limit: number) =>
    limit === -1 ? `${number(used)}, no limit` : `${number(used)}; at most ${number(limit)} in a project`,
  toBilling: () => 'Open billing',
};

const or = (count: number | null, some: (count: number) => string, many: string) =>
  count === null ? many : some(count);

export const deletion = {
  title: () => 'Deletion',
  unused: () =>
    'On the Free plan an organization is deleted after a time without sign-ins, usually 90 days. Owners get a warning by mail first. For another 90 days, any member restores it by signing in. On a paid plan it is not deleted for that.',
  owners: () => 'Owners can delete the organization for good at any time.',
  what: () => 'As an owner you can delete it yourself. That removes for good:',
  contents: (projects: number, environments: number, flags: number | null) =>
    `${plural(projects, 'project', 'projects')} with ${plural(environments, 'environment', 'environments')} and ${or(flags, count => plural(count, 'flag', 'flags'), 'all flags')}`,
  programs: (keys: number | null, evaluations: number) =>
    keys === 0 && evaluations === 0
      ? 'all API keys. No program used one within the last hour.'
      : `all API keys. Within the last hour, programs used ${or(keys, count => plural(count, 'key', 'keys'), 'them')} for ${plural(evaluations, 'evaluation', 'evaluations')}: these will fail, and programs will get the defaults in their code.`,
  members: (members: number) =>
    `the membership of ${plural(members, 'member', 'members')}, and the accounts of those who belong to no other organization`,
  records: () => 'segments, webhooks, SCIM tokens, approvals, evaluation counts and the audit log',
  stays: () =>
    'Accounts of members who belong to another organization stay. Nothing can be restored, not by support either.',
  running: () =>
    'A subscription is running. Cancel it immediately first; what is left of the period is not refunded.',
  toBilling: () => 'Open billing',
  action: () => 'Delete the organization',
  question: (name: string) => `Delete ${name} for good?`,
  forGood: () =>
    'All members are signed out, and API keys stop working within seconds. Owners and admins get a mail that names you. This cannot be undone.',
  password: () => 'Your password',
  wrongPassword: () => 'The password is wrong.',
};
