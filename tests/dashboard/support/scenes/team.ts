import type { Page } from '@playwright/test';
import { Organization, type Person, serviceAccount } from '../organization';
import { sql } from '../sql';
import { click, dialog, heading, newcomer, overfill, type Scene } from './scene';

/** Of an organization with a custom role, some members, and a plan that allows it. */
async function large(): Promise<Person> {
  const organization = await Organization.register();
  await organization.setPlan('enterprise');
  const { api } = organization.owner;
  await api.post('/v1/roles', { name: 'Reviewer', permissions: ['flags.read', 'approvals.review'] });
  await api.post('/v1/scim/tokens', { name: 'Okta', expires_in_days: 365 });
  for (const name of ['grace.hopper', 'mary-anne.with-a-very-long-name-of-an-address', 'katherine']) {
    await api.post('/v1/members/invite', { email: `${name}@example.com`, role: 'developer' });
  }
  return organization.owner;
}

const held = async (role: 'viewer' | 'developer') => (await Organization.register()).invite(role);

/** Somebody whose custom role has no permission to see members. */
async function blind(): Promise<Person> {
  const organization = await Organization.register();
  await organization.setPlan('enterprise');
  const { api } = organization.owner;
  const viewer = await organization.invite('viewer');
  const role = await api.post<{ id: string }>('/v1/roles', { name: 'Reader', permissions: ['flags.read'] });
  const member = (await members(organization.owner)).find(({ email }) => email === viewer.email);
  await api.put(`/v1/members/${member?.id}`, { custom_role_id: role.id });
  return viewer;
}

/** The owner of an organization with a service account. */
async function employer(): Promise<Person> {
  const organization = await Organization.register();
  await serviceAccount(organization);
  return organization.owner;
}

/** An owner whom a provider has signed in. */
async function bound(): Promise<Person> {
  const organization = await Organization.register();
  await organization.setPlan('enterprise');
  const { owner } = organization;
  const provider = { name: 'Okta', issuer: 'https://127.0.0.1:9443', client_id: 'halyard' };
  const { id } = await owner.api.post<{ id: string }>('/v1/organization/sign-in/providers', provider);
  const { user } = await owner.api.get<{ user: { id: string } }>('/v1/me');
  await sql(
    `INSERT INTO sign_in_identities (provider_id, subject, org_id, user_id, created_at, last_used_at)
     VALUES ('${id}', 'auth0|a-subject-as-long-as-some-providers-make-them', '${organization.id}', '${user.id}', now(), now())`,
  );
  return owner;
}

const members = async ({ api }: Person) =>
  (await api.get<{ data: { id: string; email: string }[] }>('/v1/members')).data;

/** By the name of the first member of a list. */
const openMember = async (page: Page) => {
  await page.getByRole('list', { name: 'Members' }).getByRole('link').first().click();
};

/** The service account, and then something of it. */
const ofAccount = (name?: RegExp) => async (page: Page) => {
  await page.getByRole('link', { name: 'Deployments' }).click();
  if (name !== undefined) await page.getByRole('button', { name }).click();
};

export const teamScenes: Scene[] = [
  {
    name: 'team',
    page: '/team',
    state: 'loaded',
    path: () => '/team',
    ready: page => page.getByText('grace.hopper@example.com'),
    as: large,
  },
  {
    name: 'team, alone',
    page: '/team',
    state: 'empty',
    path: () => '/team',
    ready: heading('You are the only member'),
    as: newcomer,
  },
  {
    name: 'team, no match',
    page: '/team',
    state: 'noMatch',
    path: () => '/team?q=nobody',
    ready: heading('No member matches “nobody”'),
    as: newcomer,
  },
  {
    name: 'team, seen by a viewer',
    page: '/team',
    state: 'loaded',
    path: () => '/team',
    ready: page => page.getByText(/may not invite, change or remove members/),
    as: () => held('viewer'),
  },
  {
    name: 'team, forbidden',
    page: '/team',
    state: 'forbidden',
    path: () => '/team',
    ready: heading('You may not open this'),
    as: blind,
  },
  {
    name: 'team, invitation',
    page: '/team',
    state: 'dialog',
    path: () => '/team',
    ready: dialog,
    as: newcomer,
    act: click('Invite a member'),
  },
  {
    name: 'team, invitation refused',
    page: '/team',
    state: 'refused',
    path: () => '/team',
    ready: page => page.getByText('Enter an email address, such as ada@example.com.'),
    as: newcomer,
    act: async page => {
      await page.getByRole('button', { name: 'Invite a member' }).click();
      await page.getByRole('textbox', { name: 'Email' }).fill('nobody');
      await page.getByRole('button', { name: 'Send the invitation' }).click();
    },
    statuses: [400],
  },
  {
    name: 'team, environments',
    page: '/team',
    state: 'loaded',
    path: () => '/team?tab=environments',
    ready: page => page.getByText('1 member has unsaved changes.'),
    as: large,
    act: async page => {
      await page
        .getByRole('checkbox', { name: /grace.*switch/ })
        .first()
        .click();
    },
  },
  {
    name: 'team, roles',
    page: '/team',
    state: 'loaded',
    path: () => '/team?tab=roles',
    ready: page => page.getByText('Reviewer'),
    as: large,
  },
  {
    name: 'team, a new role',
    page: '/team',
    state: 'dialog',
    path: () => '/team?tab=roles',
    ready: dialog,
    as: large,
    act: click('Create a role'),
  },
  {
    name: 'team, the plan has no custom roles',
    page: '/team',
    state: 'plan',
    path: () => '/team?tab=roles',
    ready: page => page.getByText('Part of the Enterprise plan.'),
    as: newcomer,
    statuses: [402],
  },
  {
    name: 'service accounts',
    page: '/team',
    state: 'loaded',
    path: () => '/team?tab=service-accounts',
    ready: page => page.getByRole('link', { name: 'Deployments' }),
    as: employer,
  },
  {
    name: 'service accounts, none',
    page: '/team',
    state: 'empty',
    path: () => '/team?tab=service-accounts',
    ready: heading('No service accounts'),
    as: newcomer,
  },
  {
    name: 'service accounts, a new one',
    page: '/team',
    state: 'dialog',
    path: () => '/team?tab=service-accounts',
    ready: dialog,
    as: newcomer,
    act: click('Create a service account'),
  },
  {
    name: 'service account',
    page: '/team',
    state: 'loaded',
    path: () => '/team?tab=service-accounts',
    ready: page => page.getByRole('button', { name: 'Rotate pipeline' }),
    as: employer,
    act: ofAccount(),
  },
  {
    name: 'service account, a rotation',
    page: '/team',
    state: 'dialog',
    path: () => '/team?tab=service-accounts',
    ready: dialog,
    as: employer,
    act: ofAccount(/^Rotate pipeline/),
  },
  {
    name: 'service account, its deletion',
    page: '/team',
    state: 'dialog',
    path: () => '/team?tab=service-accounts',
    ready: dialog,
    as: employer,
    act: ofAccount(/^Delete/),
  },
  {
    name: 'service account, none',
    page: '/team',
    state: 'missing',
    path: () => '/team?tab=service-accounts&account=00000000-0000-7000-8000-000000000009',
    ready: heading('There is no such service account'),
    as: newcomer,
  },
  {
    name: 'member',
    page: '/team/{member}',
    state: 'loaded',
    path: async of => `/team/${(await members(of.organization.owner))[0]?.id}`,
    ready: heading('What they may do'),
  },
  {
    name: 'member, signed in by a provider',
    page: '/team/{member}',
    state: 'loaded',
    path: () => '/team',
    ready: page => page.getByRole('button', { name: 'Unbind from Okta' }),
    as: bound,
    act: page => page.getByRole('link', { name: 'Ada Lovelace' }).click(),
  },
  {
    name: 'member, to be unbound from a provider',
    page: '/team/{member}',
    state: 'dialog',
    path: () => '/team',
    ready: dialog,
    as: bound,
    act: async page => {
      await page.getByRole('link', { name: 'Ada Lovelace' }).click();
      await page.getByRole('button', { name: 'Unbind from Okta' }).click();
    },
  },
  {
    name: 'member, removed',
    page: '/team/{member}',
    state: 'dialog',
    path: async of => {
      const all = await members(of.organization.owner);
      return `/team/${all.find(({ email }) => email === of.viewer.email)?.id}`;
    },
    ready: dialog,
    act: click('Remove'),
  },
  {
    name: 'member, seen by a viewer',
    page: '/team/{member}',
    state: 'loaded',
    path: () => '/team',
    ready: heading('What they may do'),
    as: () => held('viewer'),
    act: openMember,
  },
  {
    name: 'member, none',
    page: '/team/{member}',
    state: 'missing',
    path: () => '/team/00000000-0000-7000-8000-000000000009',
    ready: heading('There is no such member'),
    as: newcomer,
  },
  {
    name: 'organization',
    page: '/settings/organization',
    state: 'loaded',
    path: () => '/settings/organization',
    ready: page => page.getByRole('link', { name: 'Open billing' }),
    as: newcomer,
  },
  {
    name: 'organization, a name refused',
    page: '/settings/organization',
    state: 'refused',
    path: () => '/settings/organization',
    ready: page => page.getByText('name must have at most 255 characters'),
    as: newcomer,
    act: async page => {
      await page.getByRole('textbox', { name: 'Name' }).fill('x'.repeat(256));
      await page.getByRole('button', { name: 'Save' }).click();
    },
    statuses: [400],
  },
  {
    name: 'SCIM',
    page: '/settings/scim',
    state: 'loaded',
    path: () => '/settings/scim',
    ready: page => page.getByRole('table', { name: 'SCIM tokens' }),
    as: large,
  },
  {
    name: 'SCIM, no tokens',
    page: '/settings/scim',
    state: 'empty',
    path: () => '/settings/scim',
    ready: heading('No identity provider is connected'),
    as: async () => {
      const organization = await Organization.register();
      await organization.setPlan('enterprise');
      return organization.owner;
    },
  },
  {
    name: 'SCIM, a new token',
    page: '/settings/scim',
    state: 'dialog',
    path: () => '/settings/scim',
    ready: dialog,
    as: large,
    act: click('Create a token'),
  },
  {
    name: 'SCIM, a name refused',
    page: '/settings/scim',
    state: 'refused',
    path: () => '/settings/scim',
    ready: page => page.getByRole('textbox', { name: 'Name', description: /must/ }),
    as: large,
    act: async page => {
      await page.getByRole('button', { name: 'Create a token' }).click();
      await overfill(page.getByRole('textbox', { name: 'Name' }));
      await page.getByRole('dialog').getByRole('button', { name: 'Create the token' }).click();
    },
    statuses: [400],
  },
  {
    name: 'SCIM, the plan has none',
    page: '/settings/scim',
    state: 'plan',
    path: () => '/settings/scim',
    ready: heading('SCIM provisioning'),
    as: newcomer,
    statuses: [402],
  },
  {
    name: 'SCIM, forbidden',
    page: '/settings/scim',
    state: 'forbidden',
    path: () => '/settings/scim',
    ready: heading('You may not open this'),
    as: () => held('developer'),
    statuses: [403],
  },
  {
    name: 'account, a password refused',
    page: '/settings/account',
    state: 'refused',
    path: () => '/settings/account',
    ready: page => page.getByText('This is not your current password.'),
    as: newcomer,
    act: async page => {
      const card = page.getByRole('region', { name: 'Password' });
      await card.getByLabel('Current password').fill('Wrong-Horse-1');
      await card.getByLabel('New password').fill('Battery-Staple-2');
      await card.getByRole('button', { name: 'Change the password' }).click();
    },
    statuses: [401],
  },
];
