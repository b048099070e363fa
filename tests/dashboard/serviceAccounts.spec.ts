import type { Page } from '@playwright/test';
import { Caller } from './support/api';
import type { Organization } from './support/organization';
import { place } from './support/places';
import { expect, test } from './support/test';

async function account({ owner }: Organization, name: string, role: string): Promise<string> {
  const { id } = await owner.api.post<{ id: string }>('/v1/service-accounts', { name, role });
  return id;
}

/** The text of the token that is shown this once. */
async function keep(page: Page): Promise<Caller> {
  const shown = page.getByRole('dialog', { name: 'Copy the token now' });
  const token = (await shown.getByRole('region', { name: 'Access token' }).textContent())?.trim() ?? '';
  await shown.getByRole('button', { name: 'I’ve saved it' }).click();
  await expect(shown).toHaveCount(0);
  return new Caller(place.api, token);
}

test('a service account is created, renamed, given another role, and deleted', async ({ owner }) => {
  await owner.goto('/team');
  await owner.getByRole('tab', { name: 'Service accounts' }).click();
  await expect(owner.getByRole('heading', { name: 'No service accounts' })).toBeVisible();
  await owner.getByRole('button', { name: 'Create a service account' }).click();
  const create = owner.getByRole('dialog', { name: 'Create a service account' });
  await create.getByRole('textbox', { name: 'Name' }).fill('Deploy');
  await create.getByText('Viewer', { exact: true }).click();
  await create.getByRole('button', { name: 'Create the account' }).click();
  await expect(owner.getByRole('heading', { name: 'Deploy', level: 2 })).toBeVisible();
  await expect(owner).toHaveURL(/\/team\?tab=service-accounts&account=/);
  const about = owner.getByRole('region', { name: 'About' });
  await expect(about).toContainText('Viewer');

  await owner.getByRole('button', { name: 'Create a token' }).click();
  const token = owner.getByRole('dialog', { name: 'Create an access token' });
  await token.getByRole('textbox', { name: 'Name' }).fill('pipeline');
  await token.getByRole('button', { name: 'Create the token' }).click();
  const program = await keep(owner);
  const role = async () => (await program.ask<{ role: string }>('GET', '/v1/me')).body.role;
  expect(await role()).toBe('viewer');

  await about.getByRole('button', { name: 'Change role' }).click();
  const change = owner.getByRole('dialog', { name: 'Change the role of Deploy' });
  await change.getByText('Developer', { exact: true }).click();
  await change.getByRole('button', { name: 'Change role' }).click();
  await expect(about).toContainText('Developer');
  expect(await role()).toBe('developer');

  await about.getByRole('button', { name: 'Rename' }).click();
  const rename = owner.getByRole('dialog', { name: 'Rename Deploy' });
  await rename.getByRole('textbox', { name: 'Name' }).fill('Release');
  await rename.getByRole('button', { name: 'Rename' }).click();
  await expect(owner.getByRole('heading', { name: 'Release', level: 2 })).toBeVisible();
  await owner.getByRole('link', { name: 'All service accounts' }).click();
  const accounts = owner.getByRole('table', { name: 'Service accounts' });
  await expect(accounts.getByRole('row').filter({ hasText: 'Release' })).toContainText('Developer');

  await accounts.getByRole('link', { name: 'Release' }).click();
  await about.getByRole('button', { name: 'Delete' }).click();
  const remove = owner.getByRole('dialog', { name: 'Delete Release?' });
  await remove.getByRole('textbox', { name: 'Type Release to confirm' }).fill('Release');
  await remove.getByRole('button', { name: 'Delete the account' }).click();
  await expect(owner.getByRole('heading', { name: 'No service accounts' })).toBeVisible();
  expect((await program.ask('GET', '/v1/me')).status).toBe(401);
});

test('a token of a service account is rotated, both work for a while, and the old one is revoked', async ({
  owner,
  organization,
}) => {
  const id = await account(organization, 'Deploy', 'developer');
  const { token } = await organization.owner.api.post<{ token: string }>(
    `/v1/service-accounts/${id}/tokens`,
    { name: 'pipeline', read_only: true },
  );
  const old = new Caller(place.api, token);
  await owner.goto(`/team?tab=service-accounts&account=${id}`);
  await owner.getByRole('button', { name: 'Rotate pipeline' }).click();
  const rotate = owner.getByRole('dialog', { name: 'Rotate pipeline?' });
  await expect(rotate.getByText(/^The old token stops working at /)).toBeVisible();
  await rotate.getByRole('button', { name: 'Rotate the token' }).click();
  const fresh = await keep(owner);
  expect(fresh.token).not.toBe(token);
  for (const program of [old, fresh]) expect((await program.ask('GET', '/v1/me')).status).toBe(200);

  const rows = owner.getByRole('table', { name: 'Access tokens' }).getByRole('row');
  await expect(rows.filter({ hasText: 'Read-only' })).toHaveCount(2);
  const ending = rows.filter({ hasText: 'Soon' });
  await expect(ending).toHaveCount(1);
  await ending.getByRole('button', { name: 'Revoke pipeline' }).click();
  const revoke = owner.getByRole('dialog', { name: 'Revoke pipeline?' });
  await revoke.getByRole('textbox', { name: 'Type pipeline to confirm' }).fill('pipeline');
  await revoke.getByRole('button', { name: 'Revoke the token' }).click();
  await expect(rows.filter({ hasText: 'Read-only' })).toHaveCount(1);
  expect((await old.ask('GET', '/v1/me')).status).toBe(401);

  await owner.getByRole('button', { name: 'Rotate pipeline' }).click();
  await rotate.getByRole('button', { name: /^The old token keeps working for|One day/ }).click();
  await owner.getByRole('option', { name: /^No time/ }).click();
  await expect(rotate.getByText(/^The old token stops working right away/)).toBeVisible();
  await rotate.getByRole('button', { name: 'Rotate the token' }).click();
  const last = await keep(owner);
  expect((await fresh.ask('GET', '/v1/me')).status).toBe(401);
  expect((await last.ask('GET', '/v1/me')).status).toBe(200);
});

test('what a service account may do in environments is set where its tokens are', async ({
  owner,
  organization,
}) => {
  const { api } = organization.owner;
  await api.post('/v1/projects', { name: 'Billing' });
  const id = await account(organization, 'Deploy', 'developer');
  const { token } = await api.post<{ token: string }>(`/v1/service-accounts/${id}/tokens`, { name: 'one' });
  const [first] = organization.environments;
  await owner.goto(`/team?tab=service-accounts&account=${id}&project=${organization.project.slug}`);
  const card = owner.getByRole('region', { name: 'Environments' });
  await card.getByRole('checkbox', { name: `Deploy, ${first?.name}: edit rules` }).uncheck();
  await card.getByRole('button', { name: 'Save' }).click();
  await expect(owner.getByText('Saved for Deploy.')).toBeVisible();
  const { body } = await new Caller(place.api, token).ask<{ environment_permissions: unknown[] }>(
    'GET',
    '/v1/me',
  );
  expect(body.environment_permissions).toEqual([
    { env_id: first?.id, can_toggle: true, can_edit_rules: false },
  ]);

  await card.getByRole('button', { name: /Project$/ }).click();
  await owner.getByRole('option', { name: 'Billing' }).click();
  await expect(owner).toHaveURL(/account=.*&project=billing/);
  await expect(card.getByRole('button', { name: 'Billing Project' })).toBeVisible();
});

test('an admin sees the service accounts of owners, and cannot change them', async ({
  organization,
  browserOf,
}) => {
  const id = await account(organization, 'Root', 'owner');
  const page = await (await browserOf(await organization.invite('admin'))).newPage();
  await page.goto(`/team?tab=service-accounts&account=${id}`);
  await expect(page.getByText('Only an owner can change an owner.')).toBeVisible();
  for (const name of ['Rename', 'Change role', 'Delete', 'Create a token']) {
    await expect(page.getByRole('button', { name })).toBeDisabled();
  }
});

test('the audit log leads to a service account', async ({ owner, organization }) => {
  const id = await account(organization, 'Deploy', 'developer');
  await organization.owner.api.put(`/v1/members/${id}`, { role: 'viewer' });
  await owner.goto('/audit?resource_type=member');
  await owner.getByRole('article').getByRole('link', { name: 'Deploy' }).first().click();
  await expect(owner).toHaveURL(`/team?tab=service-accounts&account=${id}`);
  await expect(owner.getByRole('heading', { name: 'Deploy', level: 2 })).toBeVisible();
});
