/** The addresses of the pages. `paths.json` lists them for the service, and a test compares the two. */
import { createRootRoute, createRoute, createRouter, Outlet } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { readFlagSearch } from '../pages/flag/urlState';
import { readFlagsSearch } from '../pages/flags/urlState';
import { useSaid } from '../ui/say';
import { BrokenPage, BrokenStart, NotFoundPage } from './broken';
import { page } from './page';
import { oneOf, parseSearch, present, stringifySearch, text } from './search';

const Toasts = lazy(() => import('../ui/Toast'));

function Root() {
  const isSaid = useSaid();
  return (
    <>
      <Outlet />
      <Suspense>{isSaid ? <Toasts /> : null}</Suspense>
    </>
  );
}

const root = createRootRoute({
  component: Root,
  errorComponent: BrokenStart,
  notFoundComponent: NotFoundPage,
});

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: (search: Record<string, unknown>) =>
    present({
      next: text(search.next),
      email: text(search.email),
      verified: isTrue(search.verified),
      reset: isTrue(search.reset),
    }),
  component: page(() => import('../pages/signIn/LoginPage'), 'LoginPage'),
});

const handoff = createRoute({
  getParentRoute: () => root,
  path: '/login/handoff',
  component: page(() => import('../pages/signIn/HandoffPage'), 'HandoffPage'),
});

const signup = createRoute({
  getParentRoute: () => root,
  path: '/signup',
  validateSearch: (search: Record<string, unknown>) =>
    present({
      email: text(search.email),
      invited: String(search.invited) === '1' ? 1 : undefined,
      step: oneOf(search.step, ['code']),
    }),
  component: page(() => import('../pages/signIn/SignupPage'), 'SignupPage'),
});

const forgot = createRoute({
  getParentRoute: () => root,
  path: '/forgot-password',
  validateSearch: (search: Record<string, unknown>) => present({ email: text(search.email) }),
  component: page(() => import('../pages/signIn/ForgotPasswordPage'), 'ForgotPasswordPage'),
});

const reset = createRoute({
  getParentRoute: () => root,
  path: '/reset-password',
  validateSearch: (search: Record<string, unknown>) => present({ email: text(search.email) }),
  component: page(() => import('../pages/signIn/ResetPasswordPage'), 'ResetPasswordPage'),
});

const framed = createRoute({
  getParentRoute: () => root,
  id: 'framed',
  component: page(() => import('../frame/Frame'), 'Frame'),
});

const start = createRoute({
  getParentRoute: () => framed,
  path: '/',
  component: page(() => import('../pages/start/StartPage'), 'StartPage'),
});

const flags = createRoute({
  getParentRoute: () => framed,
  path: '/p/$project/flags',
  validateSearch: readFlagsSearch,
  component: page(() => import('../pages/flags/FlagsPage'), 'FlagsPage'),
});

const flag = createRoute({
  getParentRoute: () => framed,
  path: '/p/$project/flags/$key',
  validateSearch: readFlagSearch,
  component: page(() => import('../pages/flag/FlagPage'), 'FlagPage'),
});

const segments = createRoute({
  getParentRoute: () => framed,
  path: '/p/$project/segments',
  validateSearch: (search: Record<string, unknown>) => present({ q: text(search.q) }),
  component: page(() => import('../pages/segments/SegmentsPage'), 'SegmentsPage'),
});

const segment = createRoute({
  getParentRoute: () => framed,
  path: '/p/$project/segments/$key',
  component: page(() => import('../pages/segments/SegmentPage'), 'SegmentPage'),
});

const environments = createRoute({
  getParentRoute: () => framed,
  path: '/p/$project/environments',
  component: page(() => import('../pages/environments/EnvironmentsPage'), 'EnvironmentsPage'),
});

const keys = createRoute({
  getParentRoute: () => framed,
  path: '/p/$project/environments/$env/keys',
  validateSearch: (search: Record<string, unknown>) => present({ ended: isTrue(search.ended) }),
  component: page(() => import('../pages/keys/KeysPage'), 'KeysPage'),
});

const projectSettings = createRoute({
  getParentRoute: () => framed,
  path: '/p/$project/settings',
  component: page(() => import('../pages/project/ProjectSettingsPage'), 'ProjectSettingsPage'),
});

const onboarding = createRoute({
  getParentRoute: () => framed,
  path: '/onboarding',
  component: page(() => import('../pages/onboarding/OnboardingPage'), 'OnboardingPage'),
});

const approvals = createRoute({
  getParentRoute: () => framed,
  path: '/approvals',
  validateSearch: (search: Record<string, unknown>) =>
    present({ id: text(search.id), show: oneOf(search.show, ['all']) }),
  component: page(() => import('../pages/approvals/ApprovalsPage'), 'ApprovalsPage'),
});

const billing = createRoute({
  getParentRoute: () => framed,
  path: '/settings/billing',
  validateSearch: (search: Record<string, unknown>) =>
    present({ status: oneOf(search.status, ['success', 'failed']) }),
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

function isTrue(value: unknown): true | undefined {
  return String(value) === 'true' ? true : undefined;
}

export const router = createRouter({
  routeTree: root.addChildren([
    login,
    handoff,
    signup,
    forgot,
    reset,
    framed.addChildren([
      start,
      flags,
      flag,
      segments,
      segment,
      environments,
      keys,
      projectSettings,
      onboarding,
      approvals,
      billing,
      account,
      security,
    ]),
  ]),
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultErrorComponent: BrokenPage,
  defaultNotFoundComponent: NotFoundPage,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
