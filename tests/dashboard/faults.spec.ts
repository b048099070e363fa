import type { Page } from '@playwright/test';
import { fetchNothingAhead } from './support/ahead';
import { Relay } from './support/relay';
import { Replica } from './support/replica';
import { enter } from './support/session';
import { expect, test } from './support/test';

const live = (page: Page, text: 'Live' | 'Not live') =>
  expect(page.getByRole('banner').getByRole('status')).toHaveText(text, { timeout: 30_000 });

test('a page outlives a restart of the control plane', async ({ page, context, organization, watch }) => {
  watch.expectAbsence();
  await organization.flag('new-nav');
  const replica = await Replica.start();
  try {
    await enter(context, organization.owner, replica.origin);
    // The page of a flag, which opens in the end, is fetched ahead in a quiet moment.
    const ahead = page.waitForResponse(/\/FlagPage\.js$/);
    await page.goto(`${replica.origin}/p/${organization.project.slug}/flags`);
    await live(page, 'Live');
    await ahead;
    await page.getByRole('button', { name: 'Create a flag' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create a flag' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Typed before');

    await replica.stop();
    await dialog.getByRole('button', { name: 'Create a flag' }).click();
    await expect(dialog.getByRole('alert')).toContainText('The service cannot be reached.');
    await expect(dialog.getByRole('textbox', { name: 'Name' })).toHaveValue('Typed before');

    await replica.start();
    await dialog.getByRole('button', { name: 'Create a flag' }).click();
    await expect(dialog).toHaveCount(0);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Typed before');
    await live(page, 'Live');
  } finally {
    await replica.stop();
  }
});

test('a switch that could not be stored goes back and says so', async ({
  page,
  context,
  organization,
  watch,
}) => {
  watch.expectAbsence();
  await organization.flag('new-nav');
  const replica = await Replica.start();
  try {
    await enter(context, organization.owner, replica.origin);
    const ahead = page.waitForResponse(/\/Toast\.js$/);
    await page.goto(`${replica.origin}/p/${organization.project.slug}/flags`);
    const cell = page.getByRole('switch', { name: 'new-nav in Development' });
    await expect(cell).not.toBeChecked();
    // What says that something failed is loaded ahead, in a quiet moment.
    await ahead;
    await replica.stop();
    await live(page, 'Not live');
    await cell.click();
    await expect(
      page.getByText(/^new-nav in Development was not changed\. The service cannot be reached/),
    ).toBeVisible();
    await expect(cell).not.toBeChecked();
    // What was there is still shown, and what others do meanwhile appears afterwards.
    await organization.set('new-nav', 'production', { enabled: true });
    await replica.start();
    await live(page, 'Live');
    await expect(page.getByRole('switch', { name: 'new-nav in Production' })).toBeChecked({
      timeout: 30_000,
    });
  } finally {
    await replica.stop();
  }
});

test('a part of the page that does not arrive is not taken for a new release', async ({
  page,
  context,
  organization,
  watch,
}) => {
  watch.expectAbsence();
  await organization.flag('new-nav');
  const replica = await Replica.start();
  try {
    await enter(context, organization.owner, replica.origin);
    await page.goto(`${replica.origin}/p/${organization.project.slug}/flags`);
    await live(page, 'Live');
    await replica.stop();
    await live(page, 'Not live');
    // Nobody has to click for it to be said.
    await expect(page.getByText(/^(Not live: |The service cannot be reached\.)/).first()).toBeVisible();
    await page.getByRole('link', { name: 'Security' }).click();
    await expect(
      page.getByRole('heading', { name: 'A part of this page could not be loaded' }),
    ).toBeVisible();
    await expect(page.getByText(/new version/)).toHaveCount(0);
    await replica.start();
    await page.getByRole('button', { name: 'Reload' }).click();
    await expect(page.getByRole('heading', { name: 'Security', level: 1 })).toBeVisible();
  } finally {
    await replica.stop();
  }
});

test('a stream that was cut goes on where it was', async ({ page, context, organization, watch }) => {
  watch.expectAbsence();
  await organization.flag('new-nav');
  const relay = await Relay.start();
  try {
    await enter(context, organization.owner);
    const positions: (string | undefined)[] = [];
    page.on('request', request => {
      if (request.url().endsWith('/v1/events')) positions.push(request.headers()['last-event-id']);
    });
    await page.goto(`${relay.origin}/p/${organization.project.slug}/flags`);
    await live(page, 'Live');
    await organization.set('new-nav', 'staging', { enabled: true });
    await expect(page.getByRole('switch', { name: 'new-nav in Staging' })).toBeChecked();

    relay.cut();
    await organization.set('new-nav', 'production', { enabled: true });
    await live(page, 'Live');
    await expect(page.getByRole('switch', { name: 'new-nav in Production' })).toBeChecked();
    expect(positions[0]).toBeUndefined();
    expect(positions.at(-1), 'it tells what it has seen').toBeDefined();
  } finally {
    relay.stop();
  }
});

test('without a connection the page says so', async ({ owner, organization, watch }) => {
  watch.expectAbsence();
  await organization.flag('new-nav');
  await owner.goto('/');
  await expect(owner.getByRole('rowheader', { name: /^new-nav/ })).toBeVisible();
  await owner.context().setOffline(true);
  await expect(owner.getByText(/^You are offline\./)).toBeVisible();
  await expect(owner.getByRole('rowheader', { name: /^new-nav/ })).toBeVisible();
  await owner.context().setOffline(false);
  await expect(owner.getByText(/^You are offline\./)).toHaveCount(0);
});

test('a tab that is older than the release keeps its draft, and kills', async ({
  owner,
  organization,
  watch,
}) => {
  watch.expect(404);
  watch.expectAbsence();
  await organization.flag('checkout');
  await organization.set('checkout', 'dev', { enabled: true });
  await fetchNothingAhead(owner.context());
  await owner.goto(`/p/${organization.project.slug}/flags/checkout?env=dev`);
  await expect(owner.getByRole('button', { name: 'Add a rule' })).toBeVisible();
  await owner.context().route('**/assets/**', route => route.fulfill({ status: 404, body: '{}' }));

  // The line about the answer of the draft is loaded now, and does not arrive.
  const toggle = owner.getByRole('switch', { name: /Development/ });
  await expect(toggle).toBeChecked();
  await toggle.click();
  const save = owner.getByRole('button', { name: 'Review and save' });
  await expect(owner.getByText(/^A new version is available\./)).toBeVisible();
  await expect(save).toBeVisible();

  await owner.keyboard.press('Control+K');
  const missing = owner.getByRole('dialog', { name: 'This could not be loaded' });
  await expect(missing).toContainText('Save your changes, then reload the page.');
  await missing.getByRole('button', { name: 'Close' }).click();

  await owner.getByRole('tab', { name: 'History' }).click();
  await expect(owner.getByRole('tabpanel').getByText(/^It belongs to a version/)).toBeVisible();
  await owner.getByRole('tab', { name: 'Targeting' }).click();
  await expect(toggle).not.toBeChecked();

  await owner.getByRole('button', { name: 'Kill in Development' }).click();
  await owner
    .getByRole('dialog', { name: 'Kill checkout' })
    .getByRole('button', { name: 'Kill in Development' })
    .click();
  const killed = owner.getByRole('dialog', { name: 'checkout is off in Development' });
  await expect(killed).toContainText(/Off on \d+ of \d+ edge/);
  await killed.getByRole('button', { name: 'Close' }).click();
  await expect(toggle).not.toBeChecked();
});

test('a flag opens from a list that is older than the release', async ({ owner, organization, watch }) => {
  watch.expect(404);
  watch.expectAbsence();
  await organization.flag('checkout');
  const ahead = owner.waitForResponse(/\/TargetingTab\.js$/);
  await owner.goto(`/p/${organization.project.slug}/flags`);
  await (await ahead).finished();
  await owner.context().route('**/assets/**', route => route.fulfill({ status: 404, body: '{}' }));
  await owner.getByRole('link', { name: /^checkout/ }).click();
  await expect(owner.getByRole('button', { name: 'Add a rule' })).toBeVisible();
});

test('a draft outlives a lost connection, and the palette and the kill open without one', async ({
  owner,
  organization,
  watch,
}) => {
  watch.expectAbsence();
  await organization.flag('checkout');
  const ahead = [/\/LiveAnswer\.js$/, /\/Palette\.js$/].map(name => owner.waitForResponse(name));
  await owner.goto(`/p/${organization.project.slug}/flags/checkout?env=dev`);
  await Promise.all(ahead);
  await owner.context().setOffline(true);
  const toggle = owner.getByRole('switch', { name: /Development/ });
  await toggle.click();
  await expect(owner.getByText(/^You are offline\./)).toBeVisible();
  await expect(owner.getByRole('button', { name: 'Review and save' })).toBeVisible();

  await owner.keyboard.press('Control+K');
  await expect(owner.getByRole('dialog').getByRole('menuitem').first()).toBeVisible();
  await owner.keyboard.press('Escape');
  await owner.getByRole('button', { name: 'Kill in Development' }).click();
  const question = owner.getByRole('dialog', { name: 'Kill checkout' });
  const kill = question.getByRole('button', { name: 'Kill in Development' });
  await expect(kill).toBeDisabled();

  await owner.context().setOffline(false);
  await kill.click();
  await owner.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await expect(toggle).toBeChecked();
  await expect(owner.getByRole('button', { name: 'Review and save' })).toBeVisible();
});

test('an address that leads nowhere says so', async ({ owner, organization, watch }) => {
  watch.expect(404);
  await owner.goto('/');
  await expect(owner.getByRole('heading', { name: 'No flags yet' })).toBeVisible();
  const answer = await owner.goto('/nowhere');
  expect(answer?.status()).toBe(404);
  await expect(owner.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  await owner.goto(`/p/${organization.project.slug}/flags/`);
  await expect(owner).toHaveURL(`/p/${organization.project.slug}/flags`);
});
