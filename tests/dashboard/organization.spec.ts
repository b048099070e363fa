import { Organization, PASSWORD } from './support/organization';
import { expect, test } from './support/test';
import { until } from './support/until';

test('an owner renames the organization', async ({ owner, organization, watch }) => {
  watch.expect(400);
  await owner.goto('/settings/organization');
  const name = owner.getByRole('textbox', { name: 'Name' });
  await expect(name).toHaveValue(organization.name);
  await name.fill('x'.repeat(256));
  await owner.getByRole('button', { name: 'Save' }).click();
  await expect(owner.getByText('name must have at most 255 characters')).toBeVisible();
  await name.fill('Analytical Engines');
  await owner.getByRole('button', { name: 'Save' }).click();
  await expect(owner.getByText('The organization is renamed.')).toBeVisible();
  const me = await organization.owner.api.get<{ organization: { name: string } }>('/v1/me');
  expect(me.organization.name).toBe('Analytical Engines');
});

test('it shows slug, region, plan and what deletion means', async ({ owner, organization }) => {
  await owner.goto('/settings/organization');
  const me = await organization.owner.api.get<{ data_region: string; organization: { slug: string } }>(
    '/v1/me',
  );
  const general = owner.getByRole('region', { name: 'General' });
  await expect(general).toContainText(me.organization.slug);
  await expect(general).toContainText(me.data_region);
  const plan = owner.getByRole('region', { name: 'Plan and limits' });
  await expect(plan).toContainText('Trial, until');
  await plan.getByRole('link', { name: 'Open billing' }).click();
  await expect(owner).toHaveURL(/\/settings\/billing$/);
  await owner.goBack();
  await expect(owner.getByRole('region', { name: 'Deletion' })).toContainText('for good');
});

test('others read it, and who may change it', async ({ organization, browserOf }) => {
  const context = await browserOf(await organization.invite('admin'));
  const page = await context.newPage();
  await page.goto('/settings/organization');
  await expect(
    page.getByText('Your role, Admin, may not change the organization or its plan. Owners may.'),
  ).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveCount(0);
  await expect(page.getByRole('region', { name: 'General' })).toContainText(organization.name);
});

test('an owner deletes the organization with its name and their password', async ({ browserOf, watch }) => {
  watch.expect(400, 401);
  const doomed = await Organization.register();
  const context = await browserOf(doomed.owner);
  const page = await context.newPage();
  await page.goto('/settings/organization');
  const other = await context.newPage();
  await other.goto('/settings/account');
  const section = page.getByRole('region', { name: 'Deletion' });
  await expect(section).toContainText('1 project with 3 environments and 0 flags');
  await expect(section).toContainText('No program used one within the last hour.');
  await expect(section).toContainText('the membership of 1 member');
  await section.getByRole('button', { name: 'Delete the organization' }).click();

  const dialog = page.getByRole('dialog', { name: `Delete ${doomed.name} for good?` });
  await expect(dialog).toContainText('This cannot be undone.');
  const confirm = dialog.getByRole('button', { name: 'Delete the organization' });
  const name = dialog.getByRole('textbox', { name: `Type ${doomed.name} to confirm` });
  const password = dialog.getByLabel('Your password', { exact: true });
  await expect(name).toBeFocused();
  await name.fill('Another');
  await password.fill('Wrong-Horse-7');
  await expect(confirm).toBeDisabled();
  await name.fill(doomed.name);
  await confirm.click();
  await expect(dialog.getByText('The password is wrong.')).toBeVisible();
  await password.fill(PASSWORD);
  await confirm.click();

  await expect(page).toHaveURL(/\/login\?deleted=true$/);
  await expect(page.getByText('The organization is deleted.')).toBeVisible();
  await expect(other).toHaveURL(/\/login/);
  const mail = await until('mail about the deletion', async () => {
    const text = await doomed.owner.mails.next();
    return text.includes('Subject: Your organization on Halyard was deleted') ? text : undefined;
  });
  expect(mail).toContain(`(${doomed.owner.email}) deleted`);
  await page.getByRole('textbox', { name: 'Email' }).fill(doomed.owner.email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByText('Wrong email or password.')).toBeVisible();
});

test('only owners see the button', async ({ organization, browserOf }) => {
  const context = await browserOf(await organization.invite('admin'));
  const page = await context.newPage();
  await page.goto('/settings/organization');
  const section = page.getByRole('region', { name: 'Deletion' });
  await expect(section).toContainText('Owners can delete the organization for good');
  await expect(section.getByRole('button')).toHaveCount(0);
});
