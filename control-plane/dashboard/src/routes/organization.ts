/** The addresses of an organization. */
import { createRoute } from '@tanstack/react-router';
import { page } from './page';
import { framed } from './root';
import { oneOf, present, type Search, text } from './search';

const start = createRoute({
  getParentRoute: () => framed,
  path: '/',
  component: page(() => import('../pages/start/StartPage'), 'StartPage'),
});

const onboarding = createRoute({
  getParentRoute: () => framed,
  path: '/onboarding',
  component: page(() => import('../pages/onboarding/OnboardingPage'), 'OnboardingPage'),
});

const approvals = createRoute({
  getParentRoute: () => framed,
  path: '/approvals',
  validateSearch: (search: Search) =>
    present({
      id: text(search.id),
      show: oneOf(search.show, ['mine', 'done']),
      status: oneOf(search.status, ['rejected']),
      project: text(search.project),
      flag: text(search.flag),
    }),
  component: page(() => import('../pages/approvals/ApprovalsPage'), 'ApprovalsPage'),
});

const approval = createRoute({
  getParentRoute: () => framed,
  path: '/approvals/$id',
  component: page(() => import('../pages/approvals/ApprovalPage'), 'ApprovalPage'),
});

const audit = createRoute({
  getParentRoute: () => framed,
  path: '/audit',
  validateSearch: (search: Search) =>
    present({
      project_id: text(search.project_id),
      env_id: text(search.env_id),
      actor_id: text(search.actor_id),
      action: text(search.action),
      resource_type: text(search.resource_type),
      resource_id: text(search.resource_id),
      q: text(search.q),
      from: text(search.from),
      to: text(search.to),
    }),
  component: page(() => import('../pages/audit/AuditPage'), 'AuditPage'),
});

const fleet = createRoute({
  getParentRoute: () => framed,
  path: '/fleet',
  validateSearch: (search: Search) =>
    present({
      env: text(search.env),
      q: text(search.q),
      state: oneOf(search.state, ['live', 'behind', 'away', 'never']),
      sort: oneOf(search.sort, ['name', 'region', 'rtt', 'rate']),
    }),
  component: page(() => import('../pages/fleet/FleetPage'), 'FleetPage'),
});

const edge = createRoute({
  getParentRoute: () => framed,
  path: '/fleet/$edge',
  component: page(() => import('../pages/fleet/EdgePage'), 'EdgePage'),
});

const webhooks = createRoute({
  getParentRoute: () => framed,
  path: '/webhooks',
  component: page(() => import('../pages/webhooks/WebhooksPage'), 'WebhooksPage'),
});

const webhook = createRoute({
  getParentRoute: () => framed,
  path: '/webhooks/$id',
  component: page(() => import('../pages/webhooks/WebhookPage'), 'WebhookPage'),
});

const migrations = createRoute({
  getParentRoute: () => framed,
  path: '/migration',
  component: page(() => import('../pages/migration/MigrationsPage'), 'MigrationsPage'),
});

const migration = createRoute({
  getParentRoute: () => framed,
  path: '/migration/$id',
  component: page(() => import('../pages/migration/MigrationPage'), 'MigrationPage'),
});

const team = createRoute({
  getParentRoute: () => framed,
  path: '/team',
  validateSearch: (search: Search) =>
    present({
      tab: oneOf(search.tab, ['environments', 'roles', 'service-accounts']),
      q: text(search.q),
      project: text(search.project),
      account: text(search.account),
    }),
  component: page(() => import('../pages/team/TeamPage'), 'TeamPage'),
});

const member = createRoute({
  getParentRoute: () => framed,
  path: '/team/$member',
  validateSearch: (search: Search) => present({ project: text(search.project) }),
  component: page(() => import('../pages/team/MemberPage'), 'MemberPage'),
});

export const organizationRoutes = [
  start,
  onboarding,
  approvals,
  approval,
  audit,
  fleet,
  edge,
  webhooks,
  webhook,
  migrations,
  migration,
  team,
  member,
] as const;
