import { date, number } from '../../messages/format';

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
  deletion: () => 'Deletion',
  deletionText: () => 'An organization is deleted when it is no longer used, not by a button.',
  deletionHow: () =>
    'On the Free plan that is after a time without sign-ins, usually 90 days. Owners get a warning by mail first. For another 90 days, any member restores the organization by signing in.',
  deletionPaid: () =>
    'On a paid plan it is never deleted. Cancel the plan first; on the trial, let the trial end.',
  deletionWhat: () => 'Deletion removes for good:',
  deletionLost: (): readonly string[] => [
    'all projects, environments, flags and segments: API keys stop working, and apps get the defaults in their code',
    'webhooks, approvals, evaluations and the audit log',
    'the accounts of members who belong to no other organization',
  ],
  deletionNow: () => 'To have it deleted sooner, ask the operator of this installation.',
};
