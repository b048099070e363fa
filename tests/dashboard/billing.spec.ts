import type { Page } from '@playwright/test';
import { admits } from './support/access';
import { Gateways } from './support/gateways';
import { Replica } from './support/replica';
import { enter } from './support/session';
import { expect, test } from './support/test';

const plan = (page: Page) => page.getByRole('region', { name: 'Plan', exact: true });

test('the page that a payer returns to says how the payment ended', async ({ owner, organization }) => {
  await owner.goto('/settings/billing?status=failed');
  await expect(owner.getByText('The payment did not go through.')).toBeVisible();
  await owner.goto('/settings/billing?status=success');
  await expect(owner.getByText(/The plan changes as soon as the payment gateway confirms it/)).toBeVisible();
  await organization.setPlan('pro');
  await owner.goto('/settings/billing');
  await expect(plan(owner)).toContainText('Pro');
  await expect(owner.getByText(/The payment/)).toHaveCount(0);
});

test('plan, subscription and usage are shown, and only owners can pay', async ({
  owner,
  organization,
  browserOf,
  watch,
}) => {
  await organization.setPlan('free');
  await owner.goto('/settings/billing');
  await expect(plan(owner)).toContainText('Free');
  await expect(plan(owner)).toContainText('Pro costs ₹1,999 a month.');
  await expect(owner.getByRole('region', { name: 'Usage' })).toContainText('1 of 3');

  // This installation has no gateway.
  watch.expect(503);
  await owner.getByRole('button', { name: 'Get Pro' }).click();
  await expect(owner.getByText('Payment gateway is not configured.')).toBeVisible();
  await expect(owner.getByRole('button', { name: 'Get Pro' })).toBeEnabled();

  for (const role of ['admin', 'developer'] as const) {
    expect(admits('post /v1/billing/checkout', role), role).toBe(false);
    const page = await (await browserOf(await organization.invite(role))).newPage();
    await page.goto('/settings/billing');
    await expect(plan(page)).toContainText(/Ask/);
    await expect(page.getByRole('button', { name: 'Get Pro' })).toHaveCount(0);
  }
});

test('a trial says when it ends, and what is near its limit is said before it is reached', async ({
  owner,
  organization,
}) => {
  await owner.goto('/settings/billing');
  await expect(owner.getByText('All Pro features for 14 days. No credit card needed.')).toBeVisible();
  await expect(owner.getByText(/^Your trial ends in 14 days, on /)).toBeVisible();

  await organization.setPlan('free');
  await organization.invite('developer');
  await owner.reload();
  const usage = owner.getByRole('region', { name: 'Usage' });
  await expect(usage.getByText('You are close to the limit of your plan: Members.')).toBeVisible();
  await expect(usage.getByText('You have reached the limit of your plan: Projects.')).toBeVisible();
  await expect(usage.getByText('1 left')).toBeVisible();
});

test.describe('with both gateways', () => {
  let gateways: Gateways;
  let service: Replica;

  test.beforeEach(async () => {
    gateways = await Gateways.start();
    service = await Replica.start(gateways.settings);
  });

  test.afterEach(async ({ page }) => {
    // First, since it loads in advance what it may need.
    await page.close();
    await service.stop();
    await gateways.stop();
  });

  test('a subscription is paid, managed in the portal, and canceled with its period', async ({
    page,
    context,
    organization,
  }) => {
    await enter(context, organization.owner, service.origin);
    await page.goto(`${service.origin}/settings/billing`);
    await page.getByRole('radio', { name: /^Subscription/ }).check({ force: true });
    await page.getByRole('button', { name: 'Get Pro' }).click();
    await expect(page.getByRole('heading', { name: 'Pay' })).toBeVisible();
    await gateways.pay(service.origin);
    await page.getByRole('link', { name: 'I have paid' }).click();
    await expect(page.getByText('The payment went through, and the plan is active.')).toBeVisible();
    await expect(plan(page)).toContainText('Active');

    await page.getByRole('button', { name: 'Payment method and invoices' }).click();
    await expect(page.getByRole('heading', { name: 'Portal' })).toBeVisible();
    await page.goBack();

    await page.getByRole('button', { name: 'Cancel the subscription' }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel the subscription?' });
    await expect(dialog.getByText('At the end of the period')).toBeVisible();
    await dialog.getByRole('button', { name: 'Cancel the subscription' }).click();
    await expect(page.getByText(/^The subscription is canceled\. The plan stays until \d/)).toBeVisible();
    expect(gateways.calls).toContain(`POST /v1/subscriptions/${gateways.subscriptionId}`);
    await expect(page.getByRole('button', { name: 'Get Pro again' })).toBeVisible();

    await page.goto(`${service.origin}/settings/organization`);
    const deletion = page.getByRole('region', { name: 'Deletion' });
    await expect(deletion).toContainText('A subscription is running.');
    await expect(deletion.getByRole('button', { name: 'Delete the organization' })).toBeDisabled();
    await deletion.getByRole('link', { name: 'Open billing' }).click();
    await page.getByRole('button', { name: 'Cancel immediately' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel immediately' }).click();
    await expect(page.getByText('The subscription is canceled.', { exact: true })).toBeVisible();
    await expect(plan(page)).toContainText('Free');
    await page.goto(`${service.origin}/settings/organization`);
    await expect(deletion.getByRole('button', { name: 'Delete the organization' })).toBeEnabled();
  });

  test('a month is paid by the form of the gateway, and a failed payment says so', async ({
    page,
    context,
    organization,
  }) => {
    await enter(context, organization.owner, service.origin);
    await page.goto(`${service.origin}/settings/billing`);
    const pay = async (outcome: string) => {
      await page.getByRole('radio', { name: /^One month at a time/ }).check({ force: true });
      await page.getByRole('button', { name: 'Get Pro' }).click();
      await expect(page.getByRole('heading', { name: 'Form' })).toBeVisible();
      await page.getByRole('button', { name: outcome }).click();
    };
    await pay('failure');
    await expect(page.getByText('The payment did not go through.')).toBeVisible();
    await pay('success');
    await expect(page.getByText('The payment went through, and the plan is active.')).toBeVisible();
    await expect(plan(page)).toContainText('One month at a time');
    await expect(page.getByRole('button', { name: 'Cancel the subscription' })).toHaveCount(0);
  });

  test('a subscription is canceled now', async ({ page, context, organization }) => {
    await enter(context, organization.owner, service.origin);
    await page.goto(`${service.origin}/settings/billing`);
    await page.getByRole('radio', { name: /^Subscription/ }).check({ force: true });
    await page.getByRole('button', { name: 'Get Pro' }).click();
    await expect(page.getByRole('heading', { name: 'Pay' })).toBeVisible();
    await gateways.pay(service.origin);
    await page.goto(`${service.origin}/settings/billing`);
    await page.getByRole('button', { name: 'Cancel the subscription' }).click();
    await page.getByRole('dialog').getByText('Now', { exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the subscription' }).click();
    await expect(page.getByText('The subscription is canceled.', { exact: true })).toBeVisible();
    await expect(plan(page)).toContainText('Free');
    expect(gateways.calls).toContain(`DELETE /v1/subscriptions/${gateways.subscriptionId}`);
  });
});

test('an owner is led from what the plan lacks to the plans', async ({ owner, organization }) => {
  await organization.setPlan('free');
  await owner.goto('/settings/security');
  await owner.getByRole('link', { name: 'See plan and price' }).click();
  await expect(owner).toHaveURL(/\/settings\/billing$/);
  await expect(owner.getByRole('region', { name: 'Plans' })).toContainText('Enterprise');
});
