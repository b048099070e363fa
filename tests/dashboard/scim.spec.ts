import { Caller } from './support/api';
import { place } from './support/places';
import { expect, test } from './support/test';

test('a token is shown once, lets a provider in, and is revoked by its name', async ({
  owner,
  organization,
}) => {
  await organization.setPlan('enterprise');
  await owner.goto('/settings/scim');
  await expect(owner.getByRole('heading', { name: 'No identity provider is connected' })).toBeVisible();
  await expect(owner.getByRole('region', { name: 'SCIM address' })).toContainText('/v1/scim');
  await owner.getByRole('button', { name: 'Create a token' }).click();
  const create = owner.getByRole('dialog', { name: 'Create a SCIM token' });
  await create.getByRole('textbox', { name: 'Name' }).fill('Okta');
  await create.getByRole('button', { name: 'Create the token' }).click();

  const shown = owner.getByRole('dialog', { name: 'Copy the token now' });
  await owner.keyboard.press('Escape');
  await expect(shown).toBeVisible();
  const token = (await shown.getByRole('region', { name: 'SCIM token' }).textContent())?.trim() ?? '';
  await shown.getByRole('button', { name: 'I’ve saved it' }).click();
  await expect(shown).toHaveCount(0);
  const provider = new Caller(place.api, token);
  expect((await provider.ask('GET', '/v1/scim/Users')).status).toBe(200);
  const left = await owner.evaluate(() => document.documentElement.outerHTML + location.href);
  expect(left).not.toContain(token);

  const row = owner.getByRole('row').filter({ hasText: 'Okta' });
  await row.getByRole('button', { name: 'Revoke Okta' }).click();
  const revoke = owner.getByRole('dialog', { name: 'Revoke Okta?' });
  await revoke.getByRole('textbox', { name: 'Type Okta to confirm' }).fill('Okta');
  await revoke.getByRole('button', { name: 'Revoke the token' }).click();
  await expect(owner.getByText('Okta is revoked.')).toBeVisible();
  expect((await provider.ask('GET', '/v1/scim/Users')).status).toBe(401);
});

test('without enterprise the page says which plan has it', async ({ owner, watch }) => {
  watch.expect(402);
  await owner.goto('/settings/scim');
  await expect(owner.getByRole('heading', { name: 'SCIM provisioning', level: 1 })).toBeVisible();
  await expect(owner.getByText('Part of the Enterprise plan.')).toBeVisible();
});

test('a developer is told whom to ask', async ({ organization, browserOf, watch }) => {
  watch.expect(403);
  await organization.setPlan('enterprise');
  const context = await browserOf(await organization.invite('developer'));
  const page = await context.newPage();
  await page.goto('/settings/scim');
  await expect(page.getByRole('heading', { name: 'You may not open this' })).toBeVisible();
});
