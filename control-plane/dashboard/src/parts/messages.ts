import { clock, list, number, plural } from '../messages/format';

const ROLES: Record<string, string> = {
  owner: 'Owner',
  admin: 'Admin',
  developer: 'Developer',
  viewer: 'Viewer',
};

export function roleName(role: string): string {
  return ROLES[role] ?? role;
}

/** The use of a permission, after "may not". */
const ACTS: Record<string, string> = {
  'projects.create': 'create or change projects',
  'projects.delete': 'delete projects',
  'environments.create': 'create or change environments',
  'environments.delete': 'delete environments',
  'segments.write': 'create, change or delete segments',
  'api_keys.manage': 'create, rotate or revoke API keys',
  'members.manage': 'invite, change or remove members',
  'roles.manage': 'create or change custom roles',
  'billing.manage': 'change the organization or its plan',
  'webhooks.manage': 'manage webhooks',
  'rehearsals.run': 'rehearse an outage',
  'migration.run': 'import from other platforms',
};

const FIELDS: Record<string, string> = {
  name: 'Name',
  slug: 'Slug',
  color: 'Colour',
  protected: 'Require approval for changes',
  required_approvals: 'Required approvals',
  description: 'Description',
  match_type: 'Match',
  rules: 'Conditions',
  url: 'URL',
  events: 'Events',
  format: 'Format',
};

/** Things that plans limit. */
export type Counted = 'projects' | 'environments' | 'seats';

const ALLOWED: Record<Counted, (used: number, limit: number) => string> = {
  seats: (used, limit) =>
    `Your plan allows ${plural(limit, 'member', 'members')}, invited ones included; you have ${number(used)}.`,
  projects: (used, limit) =>
    `Your plan allows ${plural(limit, 'project', 'projects')}; you have ${number(used)}.`,
  environments: (used, limit) =>
    `Your plan allows ${plural(limit, 'environment', 'environments')} in each project; this one has ${number(used)}.`,
};

/** The text of the parts that several pages share. */
export const shared = {
  mayNot: (permit: string, role: string, roles: readonly string[]) =>
    `Your role, ${roleName(role)}, may not ${ACTS[permit] ?? permit}. ${list(roles.map(name => `${roleName(name)}s`))} may.`,
  mayNotCustom: (permit: string) =>
    `Your custom role leaves out that you ${ACTS[permit] ?? permit}. An owner or admin can change it.`,
  typeToConfirm: (text: string) => `Type ${text} to confirm`,
  save: () => 'Save',
  edit: () => 'Edit',
  downloadCsv: () => 'Download CSV',
  auditOfThing: () => 'Audit log of this',
  auditOfPerson: () => 'Audit log of this person',
  pendingApproval: (environment: string, by: string | null) =>
    by === null ? environment : `${environment}, requested by ${by}`,
  pendingApprovals: (count: number) => `${plural(count, 'approval', 'approvals')} pending`,
  noEdgeUrl: (address: string) =>
    `Replace ${address} by the address of your edges. Ask the operator of this installation for it: the setting EDGE_PUBLIC_URL fills it in here.`,
  name: () => 'Name',
  slug: () => 'Slug',
  key: () => 'Key',
  actions: () => 'Actions',
  partOf: (shown: number, total: number) => `Showing the first ${number(shown)} of ${number(total)}.`,
  changedText: () =>
    'Someone else saved changes. Changes in different fields are kept; choose where both of you changed the same field, then save again.',
  changedMerged: () =>
    'Someone else saved changes to other fields. They are kept and filled in below: check them, then save again.',
  mine: () => 'Mine',
  theirs: () => 'Theirs',
  chooseField: (field: string) => `${FIELDS[field] ?? field}: mine or theirs?`,
  changedBefore: () =>
    'Someone else saved changes a moment ago. You now see the stored version: check it before you go on.',
  allowed: (used: number, limit: number, what: Counted) => ALLOWED[what](used, limit),
  askForMore: () => 'Ask an owner to upgrade the plan.',
  /** A span as on a clock: hours only when there are some. */
  span: (seconds: number) =>
    seconds < 3600
      ? clock(seconds)
      : `${Math.floor(seconds / 3600)}:${clock(seconds % 3600).padStart(5, '0')}`,
};
