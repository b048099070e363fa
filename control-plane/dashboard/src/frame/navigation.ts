/** The pages of the navigation and of the palette. A page is listed here once; it is shown to those who may open it. */
import {
  ArrowLeftRight,
  Building2,
  ChartLine,
  ClipboardCheck,
  CreditCard,
  Flag,
  GitPullRequestDraft,
  Import,
  Layers,
  LogIn,
  type LucideIcon,
  Network,
  ScrollText,
  Settings,
  ShieldCheck,
  UserRound,
  Users,
  UsersRound,
  Webhook,
} from 'lucide-react';
import { t } from '../messages/en';
import type { Me } from '../session/me';

type Role = Me['role'];

interface Shown {
  label: () => string;
  icon: LucideIcon;
  /** The permission that the page needs; none for a page that everyone has. */
  permission?: string;
  /** The roles that may open it, where the permission alone does not say. */
  roles?: readonly Role[];
  /** Keys pressed one after another. */
  keys?: string;
}

export interface ProjectEntry extends Shown {
  to: `/p/$project/${'flags' | 'change-sets' | 'segments' | 'environments' | 'insights' | 'compare' | 'settings'}`;
}

export interface Entry extends Shown {
  to:
    | `/${'approvals' | 'audit' | 'fleet' | 'webhooks' | 'migration' | 'team'}`
    | `/settings/${'organization' | 'account' | 'security' | 'billing' | 'scim' | 'sign-in'}`;
}

const MANAGERS: readonly Role[] = ['owner', 'admin'];

export const OF_PROJECT: readonly ProjectEntry[] = [
  {
    to: '/p/$project/flags',
    label: t.frame.flags,
    icon: Flag,
    permission: 'flags.read',
    keys: 'g f',
  },
  {
    to: '/p/$project/segments',
    label: t.frame.segments,
    icon: Users,
    permission: 'segments.read',
    keys: 'g s',
  },
  {
    to: '/p/$project/change-sets',
    label: t.frame.changeSets,
    icon: GitPullRequestDraft,
    permission: 'flags.read',
  },
  {
    to: '/p/$project/environments',
    label: t.frame.environments,
    icon: Layers,
    permission: 'environments.read',
    keys: 'g n',
  },
  {
    to: '/p/$project/insights',
    label: t.frame.insights,
    icon: ChartLine,
    permission: 'flags.read',
    keys: 'g i',
  },
  {
    to: '/p/$project/compare',
    label: t.frame.compare,
    icon: ArrowLeftRight,
    permission: 'flags.read',
  },
  {
    to: '/p/$project/settings',
    label: t.frame.projectSettings,
    icon: Settings,
    keys: 'g p',
  },
];

export const OF_ORGANIZATION: readonly Entry[] = [
  {
    to: '/approvals',
    label: t.frame.approvals,
    icon: ClipboardCheck,
    permission: 'approvals.read',
  },
  {
    to: '/audit',
    label: t.frame.audit,
    icon: ScrollText,
    permission: 'audit.read',
  },
  {
    to: '/fleet',
    label: t.frame.fleet,
    icon: Network,
    permission: 'environments.read',
    roles: MANAGERS,
    keys: 'g e',
  },
  {
    to: '/webhooks',
    label: t.frame.webhooks,
    icon: Webhook,
    permission: 'webhooks.manage',
  },
  {
    to: '/migration',
    label: t.frame.migration,
    icon: Import,
    permission: 'migration.run',
  },
  {
    to: '/team',
    label: t.frame.team,
    icon: UsersRound,
    permission: 'members.read',
    keys: 'g t',
  },
];

export const SETTINGS: readonly Entry[] = [
  {
    to: '/settings/organization',
    label: t.frame.organization,
    icon: Building2,
  },
  {
    to: '/settings/account',
    label: t.frame.account,
    icon: UserRound,
    keys: 'g a',
  },
  {
    to: '/settings/security',
    label: t.frame.security,
    icon: ShieldCheck,
    keys: 'g c',
  },
  {
    to: '/settings/billing',
    label: t.frame.billing,
    icon: CreditCard,
    permission: 'billing.read',
  },
  {
    to: '/settings/scim',
    label: t.frame.scim,
    icon: UsersRound,
    permission: 'members.manage',
  },
  {
    to: '/settings/sign-in',
    label: t.frame.signIn,
    icon: LogIn,
    permission: 'members.manage',
  },
];

/** The entries that this person may open. */
export function shown<E extends Shown>(entries: readonly E[], me: Pick<Me, 'permissions' | 'role'>): E[] {
  return entries.filter(
    ({ permission, roles }) =>
      (permission === undefined || me.permissions.includes(permission)) &&
      (roles === undefined || roles.includes(me.role)),
  );
}
