import { expect, test } from './support/test';

test('the page that a payer returns to says how the payment ended', async ({ owner, organization }) => {
  await owner.goto('/settings/billing?status=failed');
  await expect(owner.getByText('The payment did not go through.')).toBeVisible();
  await owner.goto('/settings/billing?status=success');
  await expect(owner.getByText(/The plan changes as soon as the payment gateway confirms it/)).toBeVisible();
  await organization.setPlan('pro');
  await owner.goto('/settings/billing');
  await expect(owner.getByRole('region', { name: 'Plan' })).toContainText('Pro');
  await expect(owner.getByText(/payment/)).toHaveCount(0);
});

test('plan, subscription and usage are shown, and only owners can pay', async ({
  owner,
  organization,
  browserOf,
  watch,
}) => {
  await organization.setPlan('free');
  await owner.goto('/settings/billing');
  const plan = owner.getByRole('region', { name: 'Plan' });
  await expect(plan).toContainText('Free');
  await expect(plan).toContainText('Pro costs ₹1,999 a month.');
  await expect(owner.getByRole('region', { name: 'Usage' })).toContainText('1 of 3');

  // This installation has no gateway.
  watch.expect(503);
  await owner.getByRole('button', { name: 'Get Pro' }).click();
  await expect(owner.getByRole('button', { name: 'Get Pro' })).toBeEnabled();

  const admin = await organization.invite('admin');
  const page = await (await browserOf(admin)).newPage();
  await page.goto('/settings/billing');
  await expect(page.getByRole('region', { name: 'Plan' })).toContainText(/Ask/);
  await expect(page.getByRole('button', { name: 'Get Pro' })).toHaveCount(0);
});
