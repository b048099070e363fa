import { click, heading, type Scene } from './scene';

export const signInScenes: Scene[] = [
  {
    name: 'sign-in',
    page: '/login',
    state: 'loaded',
    path: () => '/login',
    ready: heading('Sign in'),
    isOpen: true,
  },
  {
    name: 'sign-in, refused',
    page: '/login',
    state: 'refused',
    path: () => '/login',
    ready: page => page.getByRole('alert'),
    isOpen: true,
    statuses: [401],
    act: async page => {
      await page.getByRole('textbox', { name: 'Email' }).fill('nobody@example.com');
      await page.getByRole('textbox', { name: 'Password' }).fill('Wrong-Horse-7');
      await page.getByRole('button', { name: 'Sign in' }).click();
    },
  },
  {
    name: 'sign-in, verified',
    page: '/login',
    state: 'loaded',
    path: () => '/login?verified=true',
    ready: heading('Sign in'),
    isOpen: true,
  },
  {
    name: 'sign-in, signed out',
    page: '/login',
    state: 'loaded',
    path: () => '/login?ended=true',
    ready: page => page.getByText('You were signed out. Sign in again to continue.'),
    isOpen: true,
  },
  {
    name: 'sign-up',
    page: '/signup',
    state: 'loaded',
    path: () => '/signup',
    ready: heading('Create an account'),
    isOpen: true,
  },
  {
    name: 'sign-up, code',
    page: '/signup',
    state: 'loaded',
    path: () => '/signup?email=ada@example.com&step=code',
    ready: heading('Check your email'),
    isOpen: true,
  },
  {
    name: 'sign-up, without a name',
    page: '/signup',
    state: 'refused',
    path: () => '/signup',
    ready: page => page.getByText('Enter your name.'),
    isOpen: true,
    act: click('Email me a code'),
  },
  {
    name: 'invitation',
    page: '/signup',
    state: 'loaded',
    path: () => '/signup?email=ada@example.com&invited=1',
    ready: heading('Accept the invitation'),
    isOpen: true,
  },
  {
    name: 'forgotten password',
    page: '/forgot-password',
    state: 'loaded',
    path: () => '/forgot-password',
    ready: heading('Reset your password'),
    isOpen: true,
  },
  {
    name: 'forgotten password, no address',
    page: '/forgot-password',
    state: 'refused',
    path: () => '/forgot-password',
    ready: page => page.getByRole('textbox', { name: 'Email', description: /^Enter an email address/ }),
    isOpen: true,
    statuses: [400],
    act: async page => {
      await page.getByRole('textbox', { name: 'Email' }).fill('nobody');
      await page.getByRole('button', { name: 'Email me a code' }).click();
    },
  },
  {
    name: 'new password',
    page: '/reset-password',
    state: 'loaded',
    path: () => '/reset-password?email=ada@example.com',
    ready: heading('Choose a new password'),
    isOpen: true,
  },
  {
    name: 'new password, refused',
    page: '/reset-password',
    state: 'refused',
    path: () => '/reset-password?email=ada@example.com',
    ready: page => page.getByText(/^New_password|code/i).first(),
    isOpen: true,
    statuses: [400],
    act: async page => {
      await page.getByRole('textbox', { name: 'Six-digit code' }).fill('000000');
      await page.getByRole('textbox', { name: 'New password' }).fill('short');
      await page.getByRole('button', { name: 'Set the password' }).click();
    },
  },
  {
    name: 'hand-off, refused',
    page: '/login/handoff',
    state: 'refused',
    path: () => '/login/handoff#0000',
    ready: heading('This link no longer works'),
    isOpen: true,
    statuses: [401, 400],
  },
];
