import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import type { Organization } from './support/organization';
import { Provider } from './support/provider';
import { expect, test } from './support/test';

/** An organization whose members sign in by a provider; the domain of their addresses. */
async function setUp(organization: Organization, provider: Provider): Promise<string> {
  const domain = `acme-${randomBytes(5).toString('hex')}.test`;
  await organization.setPlan('enterprise');
  await organization.proveDomain(domain);
  await organization.owner.api.post('/v1/organization/sign-in/providers', provider.settings);
  return domain;
}

async function beginAs(page: Page, email: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Email' }).fill(email);
  await page.getByRole('button', { name: 'Continue with your organization' }).click();
}

test('somebody new signs in by the provider of their organization', async ({ page, organization, watch }) => {
  watch.expect(401);
  const provider = await Provider.start();
  const domain = await setUp(organization, provider);
  provider.person = { sub: 'ada-1', email: `ada@${domain}`, name: 'Ada Lovelace' };
  await page.goto('/settings/account');
  await expect(page).toHaveURL(/\/login/);
  await beginAs(page, `ada@${domain}`);
  await expect(page).toHaveURL('/settings/account');
  await expect(page.getByText(`ada@${domain}`).first()).toBeVisible();
  provider.stop();
});

test('a member whom the provider has made anew is unbound, and gets in by the address again', async ({
  page,
  organization,
  browserOf,
  watch,
}) => {
  watch.expect(401, 403);
  const provider = await Provider.start();
  const email = `grace@${await setUp(organization, provider)}`;
  provider.person = { sub: 'grace-1', email, name: 'Grace Hopper' };
  await page.goto('/settings/account');
  await beginAs(page, email);
  await expect(page).toHaveURL('/settings/account');

  const grace = { ...provider.person, sub: 'grace-2' };
  provider.person = grace;
  const other = await (await browserOf(null)).newPage();
  await other.goto('/settings/account');
  await beginAs(other, email);
  await expect(other.getByText(/^The provider has signed somebody else in with this e-mail/)).toBeVisible();

  const owner = await (await browserOf(organization.owner)).newPage();
  await owner.goto('/team');
  await owner.getByRole('link', { name: 'Grace Hopper' }).click();
  const bindings = owner.getByRole('region', { name: 'Sign-in by providers' });
  await expect(bindings.getByRole('row').filter({ hasText: 'grace-1' })).toContainText('Acme login');
  await bindings.getByRole('button', { name: 'Unbind from Acme login' }).click();
  const ask = owner.getByRole('dialog', { name: 'Unbind Grace Hopper from Acme login?' });
  await ask.getByRole('button', { name: 'Unbind' }).click();
  await expect(owner.getByText('Grace Hopper is unbound from Acme login.')).toBeVisible();
  await expect(bindings).toHaveCount(0);
  await page.reload();
  await expect(page).toHaveURL(/\/login/);

  await other.goto('/settings/account');
  await beginAs(other, email);
  await expect(other).toHaveURL('/settings/account');
  await owner.reload();
  await expect(bindings.getByRole('row').filter({ hasText: 'grace-2' })).toBeVisible();
  provider.stop();
});

test('whom the provider refuses is told so, and begins again', async ({ page, organization, watch }) => {
  watch.expect(401);
  const provider = await Provider.start();
  const domain = await setUp(organization, provider);
  await page.goto('/login');
  await beginAs(page, `ada@${domain}`);
  await expect(page.getByText('Your provider did not sign you in.')).toBeVisible();
  await expect(page).toHaveURL('/login');
  await page.getByRole('link', { name: 'Back to sign-in' }).click();
  await expect(page.getByRole('textbox', { name: 'Password' })).toBeVisible();
  provider.stop();
});

test('an answer that this browser did not ask for signs nobody in', async ({ page, watch }) => {
  watch.expect(401);
  await page.goto('/login?state=abc&code=def');
  await expect(page.getByText('This sign-in was begun in another tab or browser.')).toBeVisible();
  await expect(page).toHaveURL('/login');
});

test('a domain of no organization is told', async ({ page, watch }) => {
  watch.expect(401, 404, 400);
  await page.goto('/login');
  await page.getByRole('button', { name: 'Continue with your organization' }).click();
  await expect(page.getByText('Enter your email first')).toBeVisible();
  await beginAs(page, 'ada@nowhere.test');
  await expect(page.getByText('No organization signs people in by the domain')).toBeVisible();
});
