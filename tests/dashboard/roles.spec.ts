import type { Organization, Person } from './support/organization';
import { expect, test } from './support/test';

async function role(organization: Organization, name: string, permissions: string[]): Promise<string> {
  const { id } = await organization.owner.api.post<{ id: string }>('/v1/roles', { name, permissions });
  return id;
}

async function memberId(organization: Organization, person: Person): Promise<string> {
  const { data } = await organization.owner.api.get<{ data: { id: string; email: string }[] }>('/v1/members');
  return data.find(({ email }) => email === person.email)?.id ?? '';
}

test('without enterprise the tab says which plan has custom roles', async ({ owner, watch }) => {
  watch.expect(402);
  await owner.goto('/team?tab=roles');
  await expect(owner.getByRole('heading', { name: 'Custom roles' })).toBeVisible();
  await expect(owner.getByText('Part of the Enterprise plan.')).toBeVisible();
});

test('a role is created, given, changed and deleted', async ({ owner, organization, watch }) => {
  watch.expect(409);
  await organization.setPlan('enterprise');
  const developer = await organization.invite('developer');
  await owner.goto('/team?tab=roles');
  await owner.getByRole('button', { name: 'Create a role' }).click();
  const create = owner.getByRole('dialog', { name: 'Create a custom role' });
  await create.getByRole('textbox', { name: 'Name' }).fill('Owner');
  await create.getByRole('checkbox', { name: /^See flags/ }).check();
  await create.getByRole('button', { name: 'Select all of Segments' }).click();
  await expect(create.getByText('Members with this role may do 3 things at most.')).toBeVisible();
  await create.getByRole('button', { name: 'Create the role' }).click();
  await expect(create.getByText('There is a role of this name. Choose another name.')).toBeVisible();
  await create.getByRole('textbox', { name: 'Name' }).fill('Segmenter');
  await create.getByRole('button', { name: 'Create the role' }).click();
  const row = owner.getByRole('row').filter({ hasText: 'Segmenter' });
  await expect(row).toContainText('3 of 33 actions');
  await expect(row).toContainText('Not assigned');

  await owner.getByRole('tab', { name: 'Members' }).click();
  await owner.getByRole('button', { name: 'Actions for Max developer' }).click();
  await owner.getByRole('menuitem', { name: 'Change role' }).click();
  const change = owner.getByRole('dialog', { name: 'Change the role of Max developer' });
  await change.getByRole('button', { name: /Restrict to a custom role/ }).click();
  await owner.getByRole('option', { name: 'Segmenter' }).click();
  await change.getByRole('button', { name: 'Change role' }).click();
  await expect(owner.getByText('The role of Max developer is changed.')).toBeVisible();
  expect((await developer.api.ask('GET', '/v1/audit')).status).toBe(403);

  await owner.getByRole('tab', { name: 'Custom roles' }).click();
  await expect(row).toContainText('Max developer');
  await row.getByRole('button', { name: 'Delete Segmenter' }).click();
  const remove = owner.getByRole('dialog', { name: 'Delete Segmenter?' });
  await remove.getByRole('button', { name: 'Delete the role' }).click();
  await expect(
    remove.getByText('Members have Segmenter. Change their role first, then delete it.'),
  ).toBeVisible();
  await remove.getByRole('button', { name: 'Cancel' }).click();

  const id = await memberId(organization, developer);
  await organization.owner.api.put(`/v1/members/${id}`, { custom_role_id: null });
  await row.getByRole('button', { name: 'Delete Segmenter' }).click();
  await remove.getByRole('button', { name: 'Delete the role' }).click();
  await expect(row).toHaveCount(0);
});

test('a change by someone else is shown before it is overwritten', async ({ owner, organization, watch }) => {
  watch.expect(412);
  await organization.setPlan('enterprise');
  const id = await role(organization, 'Reader', ['flags.read']);
  await owner.goto('/team?tab=roles');
  await owner.getByRole('button', { name: 'Edit Reader' }).click();
  const edit = owner.getByRole('dialog', { name: 'Edit Reader' });
  await expect(edit.getByRole('textbox', { name: 'Name' })).toHaveValue('Reader');
  await organization.owner.api.put(`/v1/roles/${id}`, {
    name: 'Reader',
    permissions: ['flags.read', 'audit.read'],
  });
  await edit.getByRole('textbox', { name: 'Name' }).fill('Looker');
  await edit.getByRole('button', { name: 'Save' }).click();
  await expect(edit.getByText(/^Someone else saved changes to this role/)).toBeVisible();
  await expect(edit.getByRole('checkbox', { name: 'Read the audit log' })).toBeChecked();
  await edit.getByRole('textbox', { name: 'Name' }).fill('Looker');
  await edit.getByRole('button', { name: 'Save' }).click();
  await expect(owner.getByRole('row').filter({ hasText: 'Looker' })).toBeVisible();
});

test('a custom role narrows what a member finds in the navigation', async ({ organization, browserOf }) => {
  await organization.setPlan('enterprise');
  const admin = await organization.invite('admin');
  const custom = await role(organization, 'Reader', ['flags.read', 'projects.read', 'environments.read']);
  const id = await memberId(organization, admin);
  await organization.owner.api.put(`/v1/members/${id}`, { custom_role_id: custom });
  const context = await browserOf(admin);
  const page = await context.newPage();
  await page.goto('/settings/account');
  const main = page.getByRole('navigation', { name: 'Main' });
  await expect(main.getByRole('link', { name: 'Account' })).toBeVisible();
  for (const link of ['Team', 'SCIM', 'Sign-in', 'Billing']) {
    await expect(main.getByRole('link', { name: link, exact: true })).toHaveCount(0);
  }
  await page.goto('/team');
  await expect(page.getByRole('heading', { name: 'You may not open this' })).toBeVisible();
});
