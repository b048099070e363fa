import type { Page } from '@playwright/test';
import { choose } from './support/forms';
import type { Organization } from './support/organization';
import { expect, test } from './support/test';

/** Name, tags and key of each row that is shown, from the top. */
function keys(page: Page) {
  return page.getByRole('grid', { name: 'Flags and their state in each environment' }).getByRole('rowheader');
}

async function open(page: Page, organization: Organization, search = ''): Promise<void> {
  await page.goto(`/p/${organization.project.slug}/flags${search}`);
}

test('a screen of flags with all their states is one request', async ({ owner, organization }) => {
  for (let number = 10; number < 25; number += 1) await organization.flag(`flag-${number}`);
  await organization.set('flag-11', 'production', { enabled: true, percentage_rollout: 2500 });
  const asked: string[] = [];
  owner.on('request', request => {
    const { pathname } = new URL(request.url());
    if (/\/(flags|overview)(\/|$)/.test(pathname) && pathname.startsWith('/v1/')) asked.push(pathname);
  });
  await open(owner, organization);
  await expect(owner.getByText('15 flags')).toBeVisible();
  const row = owner.getByRole('row').filter({ has: owner.getByRole('rowheader', { name: /^flag-11/ }) });
  await expect(row.getByRole('switch', { name: 'flag-11 in Production' })).toBeChecked();
  await expect(row.getByRole('switch', { name: 'flag-11 in Staging' })).not.toBeChecked();
  await expect(row).toContainText('25%');
  expect(asked).toEqual([`/v1/projects/${organization.project.id}/overview`]);
});

test('what is searched, filtered and sorted is in the address', async ({ owner, organization }) => {
  await organization.flag('checkout', { name: 'Checkout', tags: ['shop'] });
  await organization.flag('banner', { name: 'Banner', flag_type: 'string', tags: ['shop', 'web'] });
  await organization.flag('theme', { name: 'Theme', flag_type: 'string', tags: ['web'] });
  await organization.set('banner', 'dev', { enabled: true });
  await open(owner, organization);
  await expect(keys(owner)).toHaveCount(3);

  await owner.getByRole('searchbox', { name: 'Search name, key, description or tag' }).fill('e');
  await expect(owner).toHaveURL(/[?&]q=e(&|$)/);
  await choose(owner, 'Type', 'String');
  await expect(owner).toHaveURL(/type=string/);
  await expect(keys(owner)).toHaveText([/^Theme/, /^Banner/]);
  await choose(owner, /^Any tag/, 'shop (2)');
  await expect(keys(owner)).toHaveText([/^Banner/]);
  await choose(owner, /Any state/, 'On for everyone');
  await choose(owner, /In any environment/, 'In Development');
  await expect(owner).toHaveURL(/tag=shop.*state=on.*env=dev|state=on.*/);
  await expect(keys(owner)).toHaveText([/^Banner/]);

  await owner.reload();
  await expect(keys(owner)).toHaveText([/^Banner/]);
  await expect(owner.getByRole('searchbox', { name: 'Search name, key, description or tag' })).toHaveValue(
    'e',
  );
  await expect(owner.getByRole('button', { name: /shop \(2\)/ })).toBeVisible();

  await choose(owner, /In Development/, 'In Production');
  await expect(owner.getByRole('heading', { name: 'No flag matches' })).toBeVisible();
  await owner.getByRole('search').getByRole('button', { name: 'Clear filters' }).click();
  await expect(keys(owner)).toHaveText([/^Theme/, /^Banner/, /^Checkout/]);
  await choose(owner, 'Newest first', 'Key, Z to A');
  await expect(keys(owner)).toHaveText([/^Theme/, /^Checkout/, /^Banner/]);
  await expect(owner).toHaveURL(/sort=key/);
  await expect(owner).toHaveURL(/order=desc/);
});

test('a switch changes what the separate edge answers, and says so', async ({ owner, organization }) => {
  await organization.flag('new-nav');
  await organization.set('new-nav', 'production', { enabled: false, default_value: true });
  const program = await organization.program('production');
  expect(await program.ask('new-nav')).toMatchObject({ value: false, reason: 'DISABLED' });

  await open(owner, organization);
  const cell = owner.getByRole('switch', { name: 'new-nav in Production' });
  await cell.click();
  const question = owner.getByRole('dialog', { name: 'Turn on new-nav in Production?' });
  await question.getByRole('button', { name: 'Turn on in Production' }).click();
  await expect(
    owner.getByText(/^new-nav is on in Production\. Serving on (\d+) of \1 edges?\.$/),
  ).toBeVisible();
  expect(await program.ask('new-nav')).toMatchObject({ value: true });
  await expect(cell).toBeChecked();

  await cell.focus();
  await owner.keyboard.press('Space');
  await owner.getByRole('button', { name: 'Turn off in Production' }).click();
  await expect(
    owner.getByText(/^new-nav is off in Production\. Serving on (\d+) of \1 edges?\.$/),
  ).toBeVisible();
  expect(await program.ask('new-nav')).toMatchObject({ value: false });
});

test('a switch goes back before the list is read again', async ({ owner, organization }) => {
  await organization.flag('new-nav');
  await open(owner, organization);
  const cell = owner.getByRole('switch', { name: 'new-nav in Development' });
  await expect(cell).toBeVisible();
  await owner.route(/\/overview\b/, () => {});
  for (const state of ['on', 'off']) {
    await cell.click();
    await expect(owner.getByText(new RegExp(`^new-nav is ${state} in Development`))).toBeVisible();
  }
  await owner.unrouteAll({ behavior: 'ignoreErrors' });
});

test('changes by others appear without a reload', async ({ owner, organization, browserOf }) => {
  await organization.flag('new-nav');
  const developer = await organization.invite('developer');
  const other = await (await browserOf(developer)).newPage();
  await open(owner, organization);
  await open(other, organization);
  await expect(owner.getByRole('status').filter({ hasText: 'Live' })).toHaveText('Live');
  await other.getByRole('switch', { name: 'new-nav in Development' }).click();
  await expect(owner.getByRole('switch', { name: 'new-nav in Development' })).toBeChecked();
  await organization.flag('from-a-program');
  for (const page of [owner, other]) await expect(keys(page)).toHaveText([/^from-a-program/, /^new-nav/]);
});

test('a switch never overwrites what somebody else saved', async ({ owner, organization, watch }) => {
  await organization.flag('new-nav');
  await open(owner, organization);
  const cell = owner.getByRole('switch', { name: 'new-nav in Development' });
  await expect(cell).not.toBeChecked();
  watch.expect(412);
  // While the write of this page is on its way, another one arrives.
  await owner.route('**/environments/*?wait=edges', async route => {
    await organization.set('new-nav', 'dev', { percentage_rollout: 100 });
    await route.continue();
  });
  await cell.click();
  await expect(owner.getByText(/^Someone else changed new-nav in Development a moment ago/)).toBeVisible();
  await expect(cell).not.toBeChecked();
  const row = owner.getByRole('row').filter({ has: owner.getByRole('rowheader', { name: /^new-nav/ }) });
  await expect(row).toContainText('1%');

  await owner.unrouteAll();
  await cell.click();
  await expect(owner.getByText(/^new-nav is on in Development/)).toBeVisible();
  await expect(row).toContainText('1%');
});

test('a flag is created, and its key follows the name', async ({ owner, organization, watch }) => {
  await open(owner, organization);
  await owner.getByRole('button', { name: 'Create a flag' }).click();
  const dialog = owner.getByRole('dialog', { name: 'Create a flag' });
  const name = dialog.getByRole('textbox', { name: 'Name' });
  await expect(name).toBeFocused();
  await name.fill('New Navigation');
  await expect(dialog.getByRole('textbox', { name: 'Key' })).toHaveValue('new-navigation');
  await choose(owner, /Type/, 'String');
  await dialog.getByRole('textbox', { name: 'Tags' }).fill('web, team-a');
  await dialog.getByRole('button', { name: 'Create a flag' }).click();
  await expect(owner.getByText('Created new-navigation. It is off in every environment.')).toBeVisible();
  await expect(owner).toHaveURL(`/p/${organization.project.slug}/flags/new-navigation`);
  await expect(owner.getByRole('heading', { level: 1 })).toHaveText('New Navigation');
  await owner.goBack();
  await expect(keys(owner)).toHaveText([/New Navigation.*String.*team-a.*new-navigation/s]);
  const row = owner.getByRole('row').filter({ hasText: 'New Navigation' });
  await expect(row.getByRole('button', { name: 'Show the flags of Ada Lovelace' })).toBeVisible();

  watch.expect(409);
  await owner.getByRole('button', { name: 'Create a flag' }).click();
  await name.fill('Other');
  const key = dialog.getByRole('textbox', { name: 'Key' });
  await key.fill('new-navigation');
  await dialog.getByRole('button', { name: 'Create a flag' }).click();
  await expect(key).toBeFocused();
  await expect(key).toHaveAccessibleDescription(/already/);
  await expect(name).toHaveValue('Other');
});

test('who may not switch sees words in place of switches', async ({ organization, browserOf }) => {
  await organization.flag('new-nav');
  await organization.set('new-nav', 'dev', { enabled: true });
  const viewer = await (await browserOf(await organization.invite('viewer'))).newPage();
  await open(viewer, organization);
  const row = viewer.getByRole('row').filter({ has: viewer.getByRole('rowheader', { name: /^new-nav/ }) });
  await expect(row.getByRole('gridcell').filter({ hasText: /^(On|Off)/ })).toHaveText(['On', 'Off', 'Off']);
  await expect(viewer.getByRole('switch')).toHaveCount(0);
  await expect(viewer.getByRole('button', { name: 'Create a flag' })).toHaveCount(0);
});

test('what belongs to another organization is not there', async ({ owner, organization, browserOf }) => {
  const other = await (await browserOf(organization.owner)).newPage();
  await other.goto('/p/not-a-project/flags');
  await expect(other.getByRole('heading', { name: 'There is no project “not-a-project”' })).toBeVisible();
  await owner.goto(`/p/${organization.project.id}/flags`);
  await expect(owner.getByRole('heading', { name: 'No flags yet' })).toBeVisible();
});

test('a switch can be undone', async ({ owner, organization }) => {
  await organization.flag('new-nav');
  await open(owner, organization);
  const cell = owner.getByRole('switch', { name: 'new-nav in Development' });
  await cell.click();
  await expect(owner.getByText(/^new-nav is on in Development/)).toBeVisible();
  await owner.getByRole('button', { name: 'Undo' }).click();
  await expect(owner.getByText(/^new-nav is off in Development/)).toBeVisible();
  await expect(cell).not.toBeChecked();
});

test('a switch in a protected environment becomes a request for approval', async ({
  owner,
  organization,
}) => {
  await organization.flag('new-nav');
  const { id } = organization.environment('production');
  await organization.owner.api.put(`/v1/projects/${organization.project.id}/environments/${id}`, {
    protected: true,
  });
  await open(owner, organization);
  const cell = owner.getByRole('switch', { name: 'new-nav in Production' });
  await cell.click();
  const question = owner.getByRole('dialog', { name: 'Turn on new-nav in Production?' });
  await expect(question).toContainText('Another member has to approve this change');
  await question.getByRole('button', { name: 'Request approval' }).click();
  await expect(owner.getByText(/^Requested approval for new-nav in Production/)).toBeVisible();
  await expect(cell).not.toBeChecked();
  const row = owner.getByRole('row').filter({ has: owner.getByRole('rowheader', { name: /^new-nav/ }) });
  // It shows although no state was ever stored, within the row, and leads to the requests about the flag.
  const link = row.getByRole('link', { name: '1 approval pending' });
  const [inner, outer] = await Promise.all([link.boundingBox(), row.boundingBox()]);
  const end = (box: typeof inner) => (box?.y ?? 0) + (box?.height ?? 0);
  expect(end(inner)).toBeLessThanOrEqual(end(outer));
  await link.click();
  await expect(owner.getByText('Only requests for new-nav.')).toBeVisible();
  await owner.goBack();
  await owner.getByRole('switch', { name: 'new-nav in Development' }).waitFor();
});

test('Back from a flag leads to the same rows', async ({ owner, organization }) => {
  for (let number = 100; number < 160; number += 1) await organization.flag(`flag-${number}`);
  await open(owner, organization, '?sort=key');
  const far = owner.getByRole('link', { name: 'flag-150' });
  await owner.getByRole('switch', { name: 'flag-100 in Development' }).focus();
  await owner.keyboard.press('Control+End');
  await expect(owner.getByRole('switch', { name: 'flag-159 in Production' }).or(far).first()).toBeVisible();
  await far.scrollIntoViewIfNeeded();
  await far.click();
  await expect(owner.getByRole('heading', { level: 1 })).toHaveText('flag-150');
  await owner.goBack();
  await expect(far).toBeInViewport();
});

test('flags are filtered by owner, and found by all words of a search', async ({ owner, organization }) => {
  await organization.flag('billing-cached', { name: 'Cached bills', owner_id: 'me' });
  await organization.flag('billing-old', { name: 'Old', description: 'Not cached' });
  await open(owner, organization, '?q=cached+BILLING');
  await expect(keys(owner)).toHaveText([/^Old/, /^Cached bills/]);
  await choose(owner, 'Any owner', 'My flags');
  await expect(keys(owner)).toHaveText([/^Cached bills/]);
  await expect(owner).toHaveURL(/owner=me/);
  await choose(owner, 'My flags', 'Without an owner');
  await expect(keys(owner)).toHaveText([/^Old/]);
  await owner.getByRole('search').getByRole('button', { name: 'Clear filters' }).click();
  await owner.getByRole('button', { name: 'Show the flags of Ada Lovelace' }).click();
  await expect(keys(owner)).toHaveText([/^Cached bills/]);
});

test('a mistyped name leads to the flag that was meant', async ({ owner, organization }) => {
  await organization.flag('new-checkout', { name: 'New checkout' });
  await open(owner, organization, '?q=chekout');
  await expect(owner.getByRole('heading', { name: 'No flag matches' })).toBeVisible();
  await owner.getByRole('link', { name: 'New checkout' }).click();
  await expect(owner.getByRole('heading', { level: 1 })).toHaveText('New checkout');
});

test('filters are saved by name, opened and deleted, and gone after a sign-out', async ({
  owner,
  organization,
  watch,
}) => {
  watch.expect(401);
  await organization.flag('billing', { owner_id: 'me' });
  await organization.flag('search');
  await open(owner, organization, '?owner=me');
  await owner.getByRole('button', { name: 'Saved filters' }).click();
  const dialog = owner.getByRole('dialog', { name: 'Saved filters' });
  await dialog.getByRole('textbox', { name: 'Name for the current filters' }).fill('My own');
  await dialog.getByRole('button', { name: 'Save filters' }).click();
  await dialog.getByRole('button', { name: 'Close', exact: true }).click();
  await owner.getByRole('search').getByRole('button', { name: 'Clear filters' }).click();
  await expect(keys(owner)).toHaveCount(2);

  await owner.reload();
  await owner.getByRole('button', { name: 'Saved filters' }).click();
  await expect(dialog).toContainText('No filters are set.');
  await dialog.getByRole('link', { name: 'My own' }).click();
  await expect(keys(owner)).toHaveText([/^billing/]);
  await expect(owner).toHaveURL(/owner=me/);
  await owner.getByRole('button', { name: 'Saved filters' }).click();
  await dialog.getByRole('button', { name: 'Delete My own' }).click();
  await expect(dialog).toContainText('No filters saved yet.');
  await dialog.getByRole('textbox', { name: 'Name for the current filters' }).fill('Again');
  await owner.keyboard.press('Enter');
  await owner.keyboard.press('Escape');
  const kept = () => owner.evaluate(() => localStorage.getItem('halyard.saved-filters'));
  expect(await kept()).toContain('Again');
  await owner.getByRole('button', { name: 'Account of Ada Lovelace' }).click();
  await owner.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
  await expect(owner.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  expect(await kept()).toBeNull();
});

test('columns are chosen, and remembered', async ({ owner, organization }) => {
  await organization.flag('new-nav');
  await open(owner, organization);
  const column = owner.getByRole('columnheader', { name: 'Owner' });
  await expect(column).toBeVisible();
  await owner.getByRole('button', { name: 'Choose columns' }).click();
  await owner.getByRole('menuitemcheckbox', { name: 'Owner' }).click();
  await owner.keyboard.press('Escape');
  await expect(column).toHaveCount(0);
  await owner.reload();
  await expect(owner.getByRole('columnheader', { name: 'Changed' })).toBeVisible();
  await expect(column).toHaveCount(0);
});
