/** The addresses before sign-in. */
import { createRoute } from '@tanstack/react-router';
import { page } from './page';
import { root } from './root';
import { isTrue, oneOf, present, type Search, text } from './search';

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: (search: Search) =>
    present({
      next: text(search.next),
      email: text(search.email),
      verified: isTrue(search.verified),
      reset: isTrue(search.reset),
      ended: isTrue(search.ended),
      deleted: isTrue(search.deleted),
      // What a provider sends back.
      state: text(search.state),
      code: text(search.code),
      iss: text(search.iss),
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
  validateSearch: (search: Search) =>
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
  validateSearch: (search: Search) => present({ email: text(search.email) }),
  component: page(() => import('../pages/signIn/ForgotPasswordPage'), 'ForgotPasswordPage'),
});

const reset = createRoute({
  getParentRoute: () => root,
  path: '/reset-password',
  validateSearch: (search: Search) => present({ email: text(search.email) }),
  component: page(() => import('../pages/signIn/ResetPasswordPage'), 'ResetPasswordPage'),
});

export const signInRoutes = [login, handoff, signup, forgot, reset] as const;
