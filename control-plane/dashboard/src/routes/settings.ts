/** The addresses of settings. */
import { createRoute } from '@tanstack/react-router';
import { page } from './page';
import { framed } from './root';
import { oneOf, present, type Search } from './search';

const billing = createRoute({
  getParentRoute: () => framed,
  path: '/settings/billing',
  validateSearch: (search: Search) => present({ status: oneOf(search.status, ['success', 'failed']) }),
  component: page(() => import('../pages/billing/BillingPage'), 'BillingPage'),
});

const account = createRoute({
  getParentRoute: () => framed,
  path: '/settings/account',
  component: page(() => import('../pages/account/AccountPage'), 'AccountPage'),
});

const security = createRoute({
  getParentRoute: () => framed,
  path: '/settings/security',
  component: page(() => import('../pages/account/SecurityPage'), 'SecurityPage'),
});

const organization = createRoute({
  getParentRoute: () => framed,
  path: '/settings/organization',
  component: page(() => import('../pages/organization/OrganizationPage'), 'OrganizationPage'),
});

const scim = createRoute({
  getParentRoute: () => framed,
  path: '/settings/scim',
  component: page(() => import('../pages/scim/ScimPage'), 'ScimPage'),
});

const signIn = createRoute({
  getParentRoute: () => framed,
  path: '/settings/sign-in',
  component: page(() => import('../pages/providers/ProvidersPage'), 'ProvidersPage'),
});

export const settingsRoutes = [billing, account, security, organization, scim, signIn] as const;
