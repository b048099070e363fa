import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import { Organization, type Person } from '../organization';
import { click, dialog, heading, newcomer, type Scene } from './scene';

const PAGE = '/settings/sign-in';
const path = () => PAGE;

/** An organization that may have providers, and has none. */
async function enterprise(): Promise<Organization> {
  const organization = await Organization.register();
  await organization.setPlan('enterprise');
  return organization;
}

/** With two providers, a proven domain and one that is not. */
async function set(): Promise<Organization> {
  const organization = await enterprise();
  const { api } = organization.owner;
  const providers = [
    { name: 'Okta', client_id: '0oa1b2c3', client_secret: 's3cret' },
    {
      name: 'A provider of somebody with a very long name',
      client_id: 'b0d7c1c8-5a3e-4d1e-9d8b-2f6a4c7e9b10.apps.login.example.com',
      provisions_members: true,
      default_role: 'viewer',
      role_claim: 'https://claims.example.com/groups',
      role_mappings: [
        { value: 'flag-admins', role: 'admin' },
        { value: 'everybody-who-may-see-flags-in-the-whole-company', role: 'viewer' },
      ],
    },
  ];
  for (const provider of providers) {
    await api.post('/v1/organization/sign-in/providers', { issuer: 'https://127.0.0.1:9443', ...provider });
  }
  const unique = randomBytes(5).toString('hex');
  await organization.proveDomain(`acme-${unique}.test`);
  await api.post('/v1/organization/sign-in/domains', { domain: `subsidiary-of-acme-${unique}.example.com` });
  return organization;
}

const owner = async (): Promise<Person> => (await set()).owner;
const beginner = async (): Promise<Person> => (await enterprise()).owner;

/** As far as the form of a new provider, with an issuer. */
async function newProvider(page: Page, issuer: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a provider' }).click();
  const form = page.getByRole('dialog');
  await form.getByRole('textbox', { name: 'Name' }).fill('Okta');
  await form.getByRole('textbox', { name: 'Issuer' }).fill(issuer);
  await form.getByRole('textbox', { name: 'Client ID' }).fill('halyard');
}

export const providersScenes: Scene[] = [
  {
    name: 'sign-in by providers',
    page: PAGE,
    state: 'loaded',
    path,
    ready: page => page.getByRole('table', { name: 'Providers' }),
    as: owner,
  },
  {
    name: 'sign-in by providers, for an admin',
    page: PAGE,
    state: 'loaded',
    path,
    ready: page => page.getByText('Your role, Admin, may not change how members sign in.'),
    as: async () => (await set()).invite('admin'),
  },
  {
    name: 'sign-in by providers, nothing set up',
    page: PAGE,
    state: 'empty',
    path,
    ready: page => page.getByText('No provider yet.'),
    as: beginner,
  },
  {
    name: 'sign-in by providers, one is added',
    page: PAGE,
    state: 'dialog',
    path,
    ready: dialog,
    as: beginner,
    act: page => newProvider(page, 'https://acme.okta.com'),
  },
  {
    name: 'sign-in by providers, one is edited',
    page: PAGE,
    state: 'dialog',
    path,
    ready: page => page.getByRole('dialog').getByRole('textbox', { name: 'Value of the claim' }).last(),
    as: owner,
    act: async page => {
      await page.getByRole('button', { name: /^Edit A provider/ }).click();
      await page.getByRole('dialog').getByRole('textbox', { name: 'Issuer' }).fill('https://b.example');
    },
  },
  {
    name: 'sign-in by providers, one is removed',
    page: PAGE,
    state: 'dialog',
    path,
    ready: dialog,
    as: owner,
    act: click('Remove Okta'),
  },
  {
    name: 'sign-in by providers, an issuer refused',
    page: PAGE,
    state: 'refused',
    path,
    ready: page => page.getByRole('textbox', { name: 'Issuer', description: /must have no query/ }),
    as: beginner,
    act: async page => {
      await newProvider(page, 'https://a.example?b=c');
      await page.getByRole('dialog').getByRole('button', { name: 'Add a provider' }).click();
    },
    statuses: [400],
  },
  {
    name: 'sign-in by providers, a domain is added',
    page: PAGE,
    state: 'dialog',
    path,
    ready: dialog,
    as: beginner,
    act: click('Add a domain'),
  },
  {
    name: 'sign-in by providers, name servers are silent',
    page: PAGE,
    state: 'refused',
    path,
    ready: page => page.getByText('The name servers of the domain do not answer'),
    as: owner,
    act: async page => {
      await page.getByRole('button', { name: /^Check now: subsidiary/ }).click();
      // Else the bar at the top of a phone covers a half of whatever is there.
      await page.evaluate(() => scrollTo(0, 0));
    },
    statuses: [502],
  },
  {
    name: 'sign-in by providers, a domain is removed',
    page: PAGE,
    state: 'dialog',
    path,
    ready: dialog,
    as: owner,
    act: click(/^Remove acme/),
  },
  {
    name: 'sign-in by providers, one is required too early',
    page: PAGE,
    state: 'refused',
    path,
    ready: page => page.getByText(/^Nobody has signed in by a provider yet/),
    as: owner,
    act: async page => {
      await page.getByRole('switch', { name: /^Members sign in only by a provider/ }).click();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Require a provider/ })
        .click();
    },
    statuses: [409],
  },
  {
    name: 'sign-in by providers, the plan has none',
    page: PAGE,
    state: 'plan',
    path,
    ready: heading('Sign-in by your provider'),
    as: newcomer,
  },
  {
    name: 'sign-in by providers, forbidden',
    page: PAGE,
    state: 'forbidden',
    path,
    ready: heading('You may not open this'),
    as: async () => (await Organization.register()).invite('developer'),
    statuses: [403],
  },
];
