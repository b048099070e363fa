import { randomBytes } from 'node:crypto';
import type { Browser, Page } from '@playwright/test';
import { Caller } from './support/api';
import { choose, signIn } from './support/forms';
import { Mailbox } from './support/mail';
import { NameServer } from './support/nameServer';
import { PASSWORD } from './support/organization';
import { place } from './support/places';
import { Provider } from './support/provider';
import { expect, test } from './support/test';

const PATH = '/settings/sign-in';
const PROVIDERS = '/v1/organization/sign-in/providers';
const newDomain = () => `acme-${randomBytes(5).toString('hex')}.test`;

/** Fills the form of a provider in, which is open. */
async function fill(page: Page, { issuer, client_id }: Provider['settings']): Promise<void> {
  const form = page.getByRole('dialog');
  await form.getByRole('textbox', { name: 'Name' }).fill('Acme login');
  await form.getByRole('textbox', { name: 'Issuer' }).fill(issuer);
  await form.getByRole('textbox', { name: 'Client ID' }).fill(client_id);
}

/** Adds a domain on the page; its row. */
async function addDomain(page: Page, domain: string) {
  await page.getByRole('button', { name: 'Add a domain' }).click();
  const form = page.getByRole('dialog', { name: 'Add a domain' });
  await form.getByRole('textbox', { name: 'Domain' }).fill(domain);
  await form.getByRole('button', { name: 'Add a domain' }).click();
  await expect(form).toHaveCount(0);
  return page.getByRole('row').filter({ hasText: domain });
}

/** Signs in by the provider in a browser of its own. */
async function byProvider(context: Awaited<ReturnType<Browser['newContext']>>, email: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto('/settings/account');
  await page.getByRole('textbox', { name: 'Email' }).fill(email);
  await page.getByRole('button', { name: 'Continue with your organization' }).click();
  await expect(page).toHaveURL('/settings/account');
  return page;
}

/** Signs up with an address, by the code in the mail; who that is. */
async function signUp(email: string): Promise<unknown> {
  const caller = new Caller();
  await caller.post('/v1/auth/initiate-signup', { email, password: PASSWORD, name: 'Grace Hopper' });
  const otp = await new Mailbox(email).code();
  const { tokens } = await caller.post<{ tokens: { access_token: string } }>('/v1/auth/complete-signup', {
    email,
    otp,
  });
  return new Caller(place.api, tokens.access_token).get('/v1/me');
}

test('an owner sets a provider up, proves a domain, and requires the provider once it works', async ({
  owner,
  organization,
  browserOf,
  watch,
}) => {
  test.setTimeout(120_000);
  watch.expect(401, 403, 409);
  const provider = await Provider.start();
  const names = await NameServer.start();
  const domain = newDomain();
  await organization.setPlan('enterprise');
  const member = await organization.invite('developer');
  await owner.goto(PATH);
  await expect(owner.getByRole('region', { name: 'Redirect address' })).toContainText('/login');

  await owner.getByRole('button', { name: 'Add a provider' }).click();
  await fill(owner, provider.settings);
  await owner.getByRole('switch', { name: 'A first sign-in makes somebody a member' }).click();
  await choose(owner, /Default role/, 'Viewer');
  await owner.getByRole('dialog').getByRole('button', { name: 'Add a provider' }).click();
  await expect(owner.getByText('Acme login is added.')).toBeVisible();
  const row = owner.getByRole('row').filter({ hasText: provider.issuer });
  await expect(row).toContainText('Become Viewer at their first sign-in');
  await expect(row).toContainText('Public client, no secret');

  const proof = await addDomain(owner, domain);
  await expect(proof).toContainText('Not proven yet');
  await expect(proof.getByText(`_halyard.${domain}`)).toBeVisible();
  await proof.getByRole('button', { name: `Check now: ${domain}` }).click();
  await expect(proof.getByRole('alert')).toContainText('The TXT record is not there');
  const record = await proof.getByText(/^halyard-domain-verification=/).textContent();
  names.add(`_halyard.${domain}`, record ?? '');
  await proof.getByRole('button', { name: `Check now: ${domain}` }).click();
  await expect(proof).toContainText('No longer needed');
  await expect(proof.getByRole('button', { name: `Check now: ${domain}` })).toHaveCount(0);

  // Nobody has signed in by it yet.
  const only = owner.getByRole('switch', { name: 'Members sign in only by a provider' });
  await only.click();
  const question = owner.getByRole('dialog', { name: 'Require a provider?' });
  await question.getByRole('button', { name: 'Require a provider' }).click();
  await expect(question.getByRole('alert')).toContainText('Nobody has signed in by a provider yet');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(only).toHaveAttribute('aria-checked', 'false');

  provider.person = { sub: 'grace-1', email: `grace@${domain}`, name: 'Grace Hopper' };
  const grace = await byProvider(await browserOf(null), `grace@${domain}`);
  await expect(grace.getByText(`grace@${domain}`).first()).toBeVisible();

  await only.click();
  await question.getByRole('button', { name: 'Require a provider' }).click();
  await expect(owner.getByText('Members now sign in only by a provider.')).toBeVisible();
  await expect(only).toHaveAttribute('aria-checked', 'true');
  const page = await (await browserOf(null)).newPage();
  await page.goto('/login');
  await signIn(page, member.email, PASSWORD);
  await expect(page.getByRole('alert')).toBeVisible();
  await grace.reload();
  await expect(grace.getByText(`grace@${domain}`).first()).toBeVisible();

  // The last provider stays while it is required.
  await row.getByRole('button', { name: 'Remove Acme login' }).click();
  const remove = owner.getByRole('dialog', { name: 'Remove Acme login?' });
  await remove.getByRole('textbox', { name: 'Type Acme login to confirm' }).fill('Acme login');
  await remove.getByRole('button', { name: 'Remove the provider' }).click();
  await expect(remove.getByRole('alert')).toContainText('Members must sign in by a provider');
  await remove.getByRole('button', { name: 'Cancel' }).click();
  await only.click();
  await expect(owner.getByText('Members may sign in with their passwords again.')).toBeVisible();

  await row.getByRole('button', { name: 'Remove Acme login' }).click();
  await remove.getByRole('textbox', { name: 'Type Acme login to confirm' }).fill('Acme login');
  await remove.getByRole('button', { name: 'Remove the provider' }).click();
  await expect(owner.getByText('Acme login is removed.')).toBeVisible();
  await expect(owner.getByRole('button', { name: 'Remove Acme login' })).toHaveCount(0);
  await grace.reload();
  await expect(grace).toHaveURL(/\/login/);
  expect(await signUp(`grace@${domain}`), 'with a password they are the member they were').toMatchObject({
    role: 'viewer',
    organization: { id: organization.id },
  });

  await proof.getByRole('button', { name: `Remove ${domain}` }).click();
  const drop = owner.getByRole('dialog', { name: `Remove ${domain}?` });
  await expect(drop).toContainText('People who have signed in before stay recognised');
  await drop.getByRole('button', { name: 'Remove the domain' }).click();
  await expect(owner.getByText(`${domain} is removed.`)).toBeVisible();
  await expect(owner.getByRole('region', { name: 'Domains' })).toContainText('No domain yet');
  provider.stop();
  names.stop();
});

test('a provider is changed, and its secret stays unless another is typed', async ({
  owner,
  organization,
}) => {
  await organization.setPlan('enterprise');
  const { api } = organization.owner;
  const { id } = await api.post<{ id: string }>(PROVIDERS, {
    name: 'Okta',
    issuer: 'https://127.0.0.1:9443',
    client_id: 'halyard',
    client_secret: 's3cret-of-the-client',
  });
  const stored = () => api.get<Record<string, unknown>>(`${PROVIDERS}/${id}`);
  await owner.goto(PATH);
  const edit = owner.getByRole('button', { name: 'Edit Okta' });
  await edit.click();
  const form = owner.getByRole('dialog', { name: 'Edit Okta' });
  await expect(form.getByRole('textbox', { name: 'Client secret' })).toHaveValue('');
  await expect(form).toContainText('One is stored. Leave this empty to keep it.');
  await form.getByRole('textbox', { name: 'Role claim' }).fill('groups');
  await form.getByRole('button', { name: 'Add a mapping' }).click();
  await form.getByRole('textbox', { name: 'Value of the claim' }).fill('flag-admins');
  await choose(owner, /Role$/, 'Admin');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(owner.getByText('Okta is saved.')).toBeVisible();
  await expect(owner.getByRole('row').filter({ hasText: 'Okta' })).toContainText(
    'From the claim groups: 1 mapping',
  );
  expect(await stored()).toMatchObject({
    has_secret: true,
    role_claim: 'groups',
    role_mappings: [{ value: 'flag-admins', role: 'admin' }],
  });

  await edit.click();
  await form.getByRole('textbox', { name: 'Issuer' }).fill('https://127.0.0.1:9444');
  await expect(form.getByRole('status').filter({ hasText: 'everyone who signed in' })).toBeVisible();
  await form.getByRole('switch', { name: 'Remove the stored secret' }).click();
  await expect(form.getByRole('textbox', { name: 'Client secret' })).toBeDisabled();
  await form.getByRole('button', { name: 'Remove the mapping of flag-admins' }).click();
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form).toHaveCount(0);
  expect(await stored()).toMatchObject({
    issuer: 'https://127.0.0.1:9444',
    has_secret: false,
    role_claim: 'groups',
    role_mappings: [],
  });
});

test('what the service refuses is said at the field that it is about', async ({
  owner,
  organization,
  watch,
}) => {
  watch.expect(400, 409, 502);
  await organization.setPlan('enterprise');
  await owner.goto(PATH);
  await owner.getByRole('button', { name: 'Add a provider' }).click();
  const form = owner.getByRole('dialog');
  const add = form.getByRole('button', { name: 'Add a provider' });
  await add.click();
  await expect(form.getByRole('alert')).toContainText('Name, issuer and client_id are required');
  await fill(owner, { name: '', issuer: 'https://a.example?b=c', client_id: 'x', provisions_members: false });
  await add.click();
  const issuer = form.getByRole('textbox', { name: 'Issuer' });
  await expect(issuer).toHaveAccessibleDescription(/must have no query/);
  await expect(issuer).toBeFocused();
  await issuer.fill('https://127.0.0.1:9443');
  await form.getByRole('textbox', { name: 'Role claim' }).fill('groups');
  for (const _ of [1, 2]) {
    await form.getByRole('button', { name: 'Add a mapping' }).click();
    await form.getByRole('textbox', { name: 'Value of the claim' }).last().fill('staff');
  }
  await add.click();
  const values = form.getByRole('textbox', { name: 'Value of the claim' });
  await expect(values.last()).toHaveAccessibleDescription(/must have each value once/);
  await expect(values.first()).not.toHaveAccessibleDescription(/must/);
  await form.getByRole('button', { name: 'Remove the mapping of staff' }).last().click();
  await add.click();
  await expect(form).toHaveCount(0);

  // The one that is there already, and what is no domain.
  await owner.getByRole('button', { name: 'Add a provider' }).click();
  await fill(owner, {
    name: '',
    issuer: 'https://127.0.0.1:9443',
    client_id: 'x',
    provisions_members: false,
  });
  await add.click();
  await expect(form.getByRole('alert')).toContainText('has a provider with this issuer and client id');
  await form.getByRole('button', { name: 'Cancel' }).click();
  await owner.getByRole('button', { name: 'Add a domain' }).click();
  const domain = owner.getByRole('dialog').getByRole('textbox', { name: 'Domain' });
  await domain.fill('localhost');
  await domain.press('Enter');
  await expect(domain).toHaveAccessibleDescription(/must be a name such as example.com/);
});

test('an admin reads it, and is told that owners change it', async ({ organization, browserOf }) => {
  await organization.setPlan('enterprise');
  const domain = newDomain();
  await organization.owner.api.post('/v1/organization/sign-in/domains', { domain });
  await organization.owner.api.post(PROVIDERS, {
    name: 'Okta',
    issuer: 'https://127.0.0.1:9443',
    client_id: 'x',
  });
  const page = await (await browserOf(await organization.invite('admin'))).newPage();
  await page.goto(PATH);
  await expect(page.getByText('Your role, Admin, may not change how members sign in.')).toBeVisible();
  for (const name of ['Add a provider', 'Edit Okta', 'Remove Okta', 'Add a domain', `Check now: ${domain}`]) {
    await expect(page.getByRole('button', { name }), name).toBeDisabled();
  }
  const only = page.getByRole('switch', { name: 'Members sign in only by a provider' });
  await expect(only).toHaveAttribute('aria-disabled', 'true');
});

test('a developer is told whom to ask', async ({ organization, browserOf, watch }) => {
  watch.expect(403);
  const page = await (await browserOf(await organization.invite('developer'))).newPage();
  await page.goto(PATH);
  await expect(page.getByRole('heading', { name: 'You may not open this' })).toBeVisible();
});

test('without enterprise the page says which plan has it, and what was set up before can go', async ({
  owner,
  organization,
}) => {
  await owner.goto(PATH);
  await expect(owner.getByRole('heading', { name: 'Sign-in by your provider', level: 1 })).toBeVisible();
  await expect(owner.getByText('Part of the Enterprise plan.')).toBeVisible();

  await organization.setPlan('enterprise');
  const domain = newDomain();
  await organization.owner.api.post('/v1/organization/sign-in/domains', { domain });
  await organization.setPlan('free');
  await owner.reload();
  await expect(owner.getByText('Your plan no longer includes sign-in providers.')).toBeVisible();
  await owner.getByRole('button', { name: `Remove ${domain}` }).click();
  await owner.getByRole('button', { name: 'Remove the domain' }).click();
  await expect(owner.getByRole('heading', { name: 'Sign-in by your provider', level: 1 })).toBeVisible();
});
