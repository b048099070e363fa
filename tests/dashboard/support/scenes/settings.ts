import type { Page } from '@playwright/test';
import { Organization, type Person } from '../organization';
import { click, dialog, heading, newcomer, overfill, type Scene } from './scene';

/** Somebody with access tokens: one with every limit, one without, and one that has expired by the time it is shown. */
async function automated(): Promise<Person> {
  const organization = await Organization.register();
  const { owner, project } = organization;
  const own = [
    { name: 'nightly', expires_at: new Date(Date.now() + 1000).toISOString() },
    { name: 'a-script-of-somebody-with-a-very-long-name' },
    {
      name: 'deploy',
      expires_at: new Date(Date.now() + 3 * 86_400_000).toISOString(),
      role: 'developer',
      project_ids: [project.id],
      env_ids: organization.environments.map(({ id }) => id),
      read_only: true,
    },
  ];
  for (const token of own) await owner.api.post('/v1/me/tokens', token);
  return owner;
}

/** As far as the form of a new token, with a name. */
async function newToken(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Create a token' }).first().click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill(name);
}

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
    name: 'security, no access tokens',
    page: '/settings/security',
    state: 'empty',
    path: () => '/settings/security',
    ready: heading('No access tokens'),
    as: newcomer,
  },
  {
    name: 'security, access tokens',
    page: '/settings/security',
    state: 'loaded',
    path: () => '/settings/security',
    ready: page => page.getByText(/^Environments: Development, Staging and Production/),
    as: automated,
  },
  {
    name: 'security, a new access token',
    page: '/settings/security',
    state: 'dialog',
    path: () => '/settings/security',
    ready: page => page.getByRole('checkbox', { name: 'Staging' }),
    as: newcomer,
    act: async page => {
      await newToken(page, 'deploy');
      await page.getByText('Only these, and nothing outside of them').click();
      await page.getByRole('dialog').getByRole('checkbox', { name: 'Default' }).check();
      await page.getByText('Only these: it changes nothing elsewhere').click();
    },
  },
  {
    name: 'security, a name of an access token refused',
    page: '/settings/security',
    state: 'refused',
    path: () => '/settings/security',
    ready: page => page.getByRole('textbox', { name: 'Name', description: /must/ }),
    as: newcomer,
    act: async page => {
      await newToken(page, 'deploy');
      await overfill(page.getByRole('dialog').getByRole('textbox', { name: 'Name' }));
      await page.getByRole('button', { name: 'Create the token' }).click();
    },
    statuses: [400],
  },
  {
    name: 'security, an access token is shown',
    page: '/settings/security',
    state: 'dialog',
    path: () => '/settings/security',
    ready: page => page.getByText(/^halp_/),
    as: newcomer,
    act: async page => {
      await newToken(page, 'deploy');
      await page.getByRole('button', { name: 'Create the token' }).click();
    },
  },
  {
    name: 'security, the end of an access token',
    page: '/settings/security',
    state: 'dialog',
    path: () => '/settings/security',
    ready: dialog,
    as: automated,
    act: click('Revoke deploy'),
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
