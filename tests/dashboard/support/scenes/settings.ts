import { Organization } from '../organization';
import { click, dialog, heading, newcomer, type Scene } from './scene';

export const settingsScenes: Scene[] = [
  {
    name: 'billing',
    page: '/settings/billing',
    state: 'loaded',
    path: () => '/settings/billing',
    ready: heading('Usage'),
  },
  {
    name: 'billing, after a failed payment',
    page: '/settings/billing',
    state: 'loaded',
    path: () => '/settings/billing?status=failed',
    ready: page => page.getByText('The payment did not go through.'),
    as: newcomer,
  },
  {
    name: 'account',
    page: '/settings/account',
    state: 'loaded',
    path: () => '/settings/account',
    ready: heading('Account'),
  },
  {
    name: 'security',
    page: '/settings/security',
    state: 'loaded',
    path: () => '/settings/security',
    ready: page => page.getByRole('table', { name: 'Sessions' }),
  },
  {
    name: 'security, enrolment',
    page: '/settings/security',
    state: 'loaded',
    path: () => '/settings/security',
    ready: page => page.getByRole('img', { name: 'QR code for the authenticator app' }),
    as: async () => (await newcomer()).proven(),
    act: click('Set up two-factor authentication'),
  },
  {
    name: 'security, the plan has none',
    page: '/settings/security',
    state: 'plan',
    path: () => '/settings/security',
    ready: page => page.getByText(/Pro plan/).first(),
    as: async () => {
      const organization = await Organization.register();
      await organization.setPlan('free');
      return organization.owner;
    },
  },
  {
    name: 'security, the end of a session',
    page: '/settings/security',
    state: 'dialog',
    path: () => '/settings/security',
    ready: dialog,
    act: click(/^End the session of/),
  },
  {
    name: 'organization, its deletion',
    page: '/settings/organization',
    state: 'dialog',
    path: () => '/settings/organization',
    ready: dialog,
    act: click('Delete the organization'),
    as: newcomer,
  },
];
