import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { Organization } from './support/organization';
import { Receiver } from './support/receiver';
import { test as base, expect } from './support/test';
import { until } from './support/until';

const VERIFIER = join(
  import.meta.dirname,
  '../../control-plane/dashboard/src/pages/webhooks/snippets/node.txt',
);

/** With an owner whose address is proven: without one, an organization sets no addresses of webhooks. */
const test = base.extend({
  organization: async ({}, use) => use(await (await Organization.register()).proven()),
});

let receiver: Receiver;

test.beforeEach(async () => {
  receiver = await Receiver.start();
});

test.afterEach(() => receiver.stop());

/** Makes a webhook by the API and opens its page. */
async function open(
  page: Page,
  organization: Organization,
  more: Record<string, unknown> = {},
): Promise<string> {
  const { id } = await organization.owner.api.post<{ id: string }>('/v1/webhooks', {
    name: 'Deployments',
    url: receiver.url('/hook'),
    ...more,
  });
  await page.goto(`/webhooks/${id}`);
  await expect(page.getByRole('heading', { name: 'Deployments', level: 1 })).toBeVisible();
  return id;
}

test('a webhook is created, its secret is shown once, and a test arrives with a signature that verifies', async ({
  owner,
  watch,
}) => {
  await owner.goto('/webhooks');
  await owner.getByRole('button', { name: 'Create a webhook' }).click();
  const form = owner.getByRole('dialog', { name: 'Create a webhook' });
  await form.getByRole('textbox', { name: 'Name' }).fill('Deployments');
  const url = form.getByRole('textbox', { name: 'URL' });
  await url.fill('http://10.0.0.1/hook');
  const create = form.getByRole('button', { name: 'Create a webhook' });
  watch.expect(400);
  await create.click();
  await expect(url).toHaveAccessibleDescription(/private/i);
  await expect(url).toBeFocused();

  await url.fill(receiver.url('/hook'));
  await form.getByText('Selected events').click();
  await create.click();
  await expect(form.getByText('Select at least one event.')).toBeVisible();
  await form.getByRole('checkbox', { name: /^flag\.killed/ }).check();
  await form.getByRole('checkbox', { name: 'All events of Segments' }).check();
  await expect(form.getByRole('checkbox', { name: /^segment\.deleted/ })).toBeChecked();
  await create.click();

  const shown = owner.getByRole('dialog', { name: 'Copy the secret now' });
  const secret = ((await shown.getByRole('region', { name: 'Secret' }).textContent()) ?? '').trim();
  expect(secret).toMatch(/^whsec_[0-9a-f]{64}$/);
  await owner.keyboard.press('Escape');
  await owner.mouse.click(5, 5);
  await shown.getByRole('button', { name: "I've saved it" }).click();
  await expect(owner.getByRole('heading', { name: 'Deployments', level: 1 })).toBeVisible();
  await expect(owner.getByText('flag.killed and all events of Segments')).toBeVisible();

  await owner.getByRole('button', { name: 'Send a test' }).click();
  await expect(owner.getByText(/^The test arrived: the receiver answered 200/)).toBeVisible({
    timeout: 30_000,
  });
  const [first] = receiver.received;
  if (first === undefined) throw new Error('nothing came');
  const source = `data:text/javascript,${encodeURIComponent(await readFile(VERIFIER, 'utf8'))}`;
  const { readEvent } = await import(source);
  const event = readEvent(secret, first.body, first.headers['x-service-signature-v2'], new Set());
  expect(event).toMatchObject({ type: 'webhook.test' });

  await owner.getByRole('button', { name: 'Show the delivery' }).click();
  const delivery = owner.getByRole('dialog', { name: 'Delivery of webhook.test' });
  await expect(delivery.getByRole('region', { name: 'Body sent' })).toContainText('"type": "webhook.test"');
  await expect(delivery.getByText(/private address/)).toBeVisible();
  const left = await owner.evaluate(() =>
    JSON.stringify([
      document.documentElement.outerHTML,
      location.href,
      { ...localStorage },
      { ...sessionStorage },
    ]),
  );
  expect(left).not.toContain(secret);
});

test('a failed delivery says why, and is sent again alone or with all others', async ({
  owner,
  organization,
}) => {
  test.slow();
  await organization.flag('checkout');
  await open(owner, organization, { events: ['flag.updated'], format: 'slack' });
  receiver.answers(500, 500, 500);
  await organization.set('checkout', 'dev', { enabled: true });
  const table = owner.getByRole('table', { name: 'Deliveries of this webhook' });
  const failed = table.getByRole('row').filter({ hasText: 'Failed' });
  await expect(failed).toHaveCount(1, { timeout: 40_000 });
  await expect(failed).toContainText('500');
  await failed.getByRole('button', { name: /^Details of flag\.updated/ }).click();
  const detail = owner.getByRole('dialog', { name: 'Delivery of flag.updated' });
  await expect(detail.getByText('answered with status 500')).toBeVisible();
  // As a message for Slack, which was what was sent.
  await expect(detail.getByRole('region', { name: 'Body sent' })).toContainText('"text"');
  await detail.getByRole('button', { name: 'Send again' }).click();
  await expect(table.getByRole('row').filter({ hasText: 'Delivered' })).toHaveCount(1, { timeout: 30_000 });
  await expect.poll(() => receiver.received.length).toBe(4);

  receiver.answers(500, 500, 500);
  await organization.set('checkout', 'dev', { enabled: false });
  await expect(failed).toHaveCount(2, { timeout: 40_000 });
  await owner.getByRole('button', { name: /^Send 2 failed deliveries again$/ }).click();
  await expect(owner.getByText('1 delivery is sent again.')).toBeVisible();
  await expect(table.getByRole('row').filter({ hasText: 'Delivered' })).toHaveCount(2, { timeout: 30_000 });
});

test('a webhook is edited, paused, given another secret and deleted', async ({
  owner,
  organization,
  watch,
}) => {
  const id = await open(owner, organization, { secret: 'old' });

  await owner.getByRole('button', { name: 'Edit' }).click();
  const edit = owner.getByRole('dialog', { name: 'Edit Deployments' });
  await edit.getByRole('textbox', { name: 'Name' }).fill('Channel');
  // Someone else changes another field, then the same one.
  await organization.owner.api.put(`/v1/webhooks/${id}`, { events: ['flag.killed'] });
  watch.expect(412);
  await edit.getByRole('button', { name: 'Save' }).click();
  await expect(edit.getByText(/kept and filled in below/)).toBeVisible();
  await edit.getByRole('button', { name: 'Save' }).click();
  await expect(owner.getByRole('heading', { name: 'Channel', level: 1 })).toBeVisible();
  await expect(owner.getByText('flag.killed', { exact: true })).toBeVisible();

  await owner.getByRole('button', { name: 'Pause' }).click();
  await expect(owner.getByText(/^It is paused/)).toBeVisible();
  await expect(owner.getByRole('button', { name: 'Send a test' })).toBeDisabled();
  await owner.getByRole('button', { name: 'Enable' }).click();
  await expect(owner.getByRole('button', { name: 'Send a test' })).toBeEnabled();

  await owner.getByRole('button', { name: 'Replace the secret' }).click();
  const replace = owner.getByRole('dialog', { name: 'Replace the secret?' });
  await replace.getByRole('button', { name: 'Replace the secret' }).click();
  const shown = owner.getByRole('dialog', { name: 'Copy the secret now' });
  await expect(shown.getByRole('region', { name: 'Secret' })).toContainText(/^whsec_/);
  await shown.getByRole('button', { name: "I've saved it" }).click();
  await owner.getByRole('button', { name: 'Remove the secret' }).click();
  const remove = owner.getByRole('dialog', { name: 'Remove the secret?' });
  await remove.getByRole('button', { name: 'Remove the secret' }).click();
  await expect(owner.getByText(/cannot tell who sent them/)).toBeVisible();

  await owner.getByRole('button', { name: 'Delete' }).click();
  const gone = owner.getByRole('dialog', { name: 'Delete Channel?' });
  await gone.getByRole('button', { name: 'Delete the webhook' }).click();
  await expect(owner.getByRole('heading', { name: 'No webhooks yet' })).toBeVisible();
  await until('deletion', async () => {
    const { status } = await organization.owner.api.ask('GET', `/v1/webhooks/${id}`);
    return status === 404 ? true : undefined;
  });
});

test('the signature is explained by programs that a test runs', async ({ owner, organization }) => {
  await open(owner, organization, { secret: 's3cret' });
  const program = owner.getByRole('region', { name: 'Program that verifies a delivery' });
  await expect(program).toContainText('timingSafeEqual');
  await owner.getByRole('button', { name: /Node\.js/ }).click();
  await owner.getByRole('option', { name: 'Python' }).click();
  await expect(program).toContainText('compare_digest');
});

test('a developer is told who can open webhooks', async ({ organization, browserOf, watch }) => {
  watch.expect(403);
  const page = await (await browserOf(await organization.invite('developer'))).newPage();
  await page.goto('/webhooks');
  await expect(page.getByRole('heading', { name: 'You may not open this' })).toBeVisible();
  await expect(page.getByText(/Ask Ada Lovelace/)).toBeVisible();
});
