import { expect, test } from './support/test';

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
