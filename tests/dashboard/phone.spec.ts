import { expect, test } from './support/test';
import { expectNothingBeside } from './support/viewports';

test.use({ viewport: { width: 360, height: 740 }, hasTouch: true });

/** One bar of this height at most is what a page loses to the frame. */
const BAR = 56;

test('on a phone a flag is found, seen where it is on, and killed', async ({ owner, organization }) => {
  for (const key of ['billing', 'checkout', 'search']) await organization.flag(key);
  await organization.set('checkout', 'production', { enabled: true });
  await owner.goto('/');
  await owner.getByRole('searchbox').fill('check');
  await expect(owner.getByRole('switch', { name: /^checkout in/ })).toHaveCount(3);
  await expect(owner.getByRole('switch', { name: 'checkout in Production' })).toBeChecked();
  await expect(owner.getByRole('switch', { name: 'checkout in Development' })).not.toBeChecked();
  await expectNothingBeside(owner);

  await owner.getByRole('banner').getByRole('button', { name: 'Search' }).tap();
  const palette = owner.getByRole('dialog', { name: 'Search or jump to' });
  await palette.getByRole('searchbox').fill('checkout');
  await palette.getByRole('menuitem', { name: /^checkout/ }).tap();
  await expect(owner).toHaveURL(/\/flags\/checkout/);
  await owner.getByRole('link', { name: 'Production' }).tap();
  await owner.getByRole('button', { name: 'Kill in Production' }).tap();
  const question = owner.getByRole('dialog', { name: 'Kill checkout' });
  await expectNothingBeside(owner);
  await question.getByRole('button', { name: 'Kill in Production' }).tap();
  const killed = owner.getByRole('dialog', { name: 'checkout is off in Production' });
  await expect(killed).toContainText(/Off on \d+ of \d+ edge/);
  await expectNothingBeside(owner);
  await killed.getByRole('button', { name: 'Close' }).tap();
  await expect(owner.getByRole('switch', { name: /Production/ })).not.toBeChecked();
});

test('on a phone the open tab is in view', async ({ owner, organization }) => {
  await organization.flag('checkout');
  await owner.goto(`/p/${organization.project.slug}/flags/checkout?env=dev&tab=settings`);
  await expect(owner.getByRole('tab', { name: 'Settings' })).toBeInViewport({ ratio: 0.9 });
  await owner.goto(`/p/${organization.project.slug}/flags/checkout?env=dev&tab=targeting`);
  await expect(owner.getByRole('tab', { name: 'Targeting' })).toBeInViewport({ ratio: 0.9 });
});

test('on a phone each page has one low bar, and a menu with all pages', async ({
  owner,
  organization,
  watch,
}) => {
  // The first run asks for a flag that is not there yet.
  watch.expect(404);
  const project = `/p/${organization.project.slug}`;
  const bar = owner.getByRole('banner');
  for (const path of [`${project}/flags`, `${project}/segments`, '/settings/account', '/onboarding']) {
    await owner.goto(path);
    await expect(owner.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(owner.getByRole('navigation', { name: 'Main' })).toHaveCount(0);
    expect((await bar.boundingBox())?.height).toBeLessThanOrEqual(BAR);
    expect((await bar.boundingBox())?.y).toBe(0);
    await expectNothingBeside(owner);
  }
  await bar.getByRole('button', { name: 'Open the menu' }).tap();
  const pages = owner.getByRole('navigation', { name: 'Main' });
  for (const name of ['Flags', 'Segments', 'Environments', 'Approvals', 'Account', 'Billing'])
    await expect(pages.getByRole('link', { name, exact: true })).toBeVisible();
  await pages.getByRole('link', { name: 'Segments' }).tap();
  await expect(owner.getByRole('heading', { name: 'Segments', level: 1 })).toBeVisible();
  await expect(pages).toHaveCount(0);
  // A choice that leads to where one is closes it too.
  await bar.getByRole('button', { name: 'Open the menu' }).tap();
  await pages.getByRole('link', { name: 'Segments' }).tap();
  await expect(pages).toHaveCount(0);
});
