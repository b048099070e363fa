import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { backdate } from './support/backdate';
import type { Organization } from './support/organization';
import { expect, test } from './support/test';
import { until } from './support/until';

/** A flag with two variants, evaluated for some users in production. */
async function evaluated(organization: Organization, users = 60): Promise<void> {
  await organization.flag('button', { flag_type: 'ab', default_value: { colour: 'grey' } });
  await organization.set('button', 'production', {
    enabled: true,
    variants: [
      { key: 'blue', value: { colour: 'blue' }, weight: 5000 },
      { key: 'green', value: { colour: 'green' }, weight: 5000 },
    ],
  });
  const program = await organization.program('production');
  await until('a variant', async () =>
    (await program.ask('button')).reason === 'VARIANT' ? true : undefined,
  );
  for (let user = 0; user < users; user += 1) await program.ask('button', { key: `user-${user}` });
}

interface Counters {
  total_evaluations: number;
  counters: { flag_key: string; count: number }[];
}

/** The last row of the table behind a chart, by the heads of its columns. */
async function sums(page: Page, chart: string): Promise<Map<string, number>> {
  await page.getByText('Show as a table').click();
  const table = page.getByRole('table', { name: `${chart}, as a table` });
  const heads = await table.getByRole('columnheader').allTextContents();
  const cells = await table.getByRole('row').last().getByRole('cell').allTextContents();
  expect(cells[0]).toBe('Total');
  return new Map(
    heads.slice(1).map((head, index) => [head, Number((cells[index + 1] ?? '').replaceAll(/\D/g, ''))]),
  );
}

test('the table behind a chart adds up to what the API counts', async ({ owner, organization }) => {
  await evaluated(organization);
  const dev = await organization.program('dev');
  for (let time = 0; time < 5; time += 1) await dev.ask('button');
  await dev.ask('no-such-flag');

  await owner.goto(`/p/${organization.project.slug}/insights`);
  await expect(owner.getByRole('heading', { level: 1, name: 'Insights' })).toBeVisible();
  const found = await sums(owner, 'Evaluations by environment');
  const counted = await organization.owner.api.get<Counters>('/v1/metrics/evaluations');
  expect(found.get('Total')).toBe(counted.total_evaluations);
  expect(found.get('Development')).toBe(6);
  expect(found.get('Production')).toBe(counted.total_evaluations - 6);
  await expect(owner.getByText(/\d+ evaluations in the last 24 hours\./)).toBeVisible();
  await expect(owner.getByText(/since the counter started on/)).toBeVisible();
});

test('a flag is shown by variant, and each share beside its weight', async ({ owner, organization }) => {
  await evaluated(organization, 120);
  await owner.goto(`/p/${organization.project.slug}/insights`);
  const field = owner.getByRole('combobox', { name: 'Flag' });
  await field.fill('button');
  await field.press('Enter');
  await expect(owner).toHaveURL(/flag=button/);
  await owner.getByRole('button', { name: /Split by/ }).click();
  await owner.getByRole('option', { name: 'Variant' }).click();
  const chart = owner.getByRole('application', { name: 'Evaluations by variant, chart' });
  await expect(chart).toBeVisible();
  await expect(owner.getByRole('list', { name: 'Lines of the chart' })).toContainText('blue');

  await owner.getByRole('button', { name: /Environment/ }).click();
  await owner.getByRole('option', { name: 'Production' }).click();
  const shares = owner.getByRole('table', { name: 'Share of each variant' });
  await expect(shares.getByRole('row', { name: /blue.*50%/ })).toBeVisible();
  await expect(shares.getByRole('row', { name: /green.*50%/ })).toBeVisible();

  // The chart can be read by keyboard.
  await chart.focus();
  await owner.keyboard.press('End');
  await expect(owner.getByRole('status').filter({ hasText: /blue: \d+/ })).toHaveCount(1);

  // Weights that do not fit what was served are named.
  await organization.set('button', 'production', {
    variants: [
      { key: 'blue', value: { colour: 'blue' }, weight: 500 },
      { key: 'green', value: { colour: 'green' }, weight: 9500 },
    ],
  });
  await expect(owner.getByText(/The share of blue and green differs from the weight/)).toBeVisible();
  await expect(owner.getByText('Changes marked in the chart')).toBeVisible();
});

test('what is shown can be downloaded as CSV', async ({ owner, organization }) => {
  await evaluated(organization, 3);
  await owner.goto(`/p/${organization.project.slug}/insights?flag=button&env=production&by=variant`);
  const download = owner.waitForEvent('download');
  await owner.getByRole('button', { name: 'Download CSV' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^evaluations-button-variant-day-\d{4}-\d\d-\d\d\.csv$/);
  const lines = (await readFile(await file.path(), 'utf8')).trim().split('\r\n');
  expect(lines).toHaveLength(25);
  expect(lines[0]).toMatch(/^\uFEFF?Time \(UTC\),/);
  expect(lines.at(-1)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:00:00\.000Z,/);
});

test('a key that no flag has is made into one', async ({ owner, organization }) => {
  const program = await organization.program('staging');
  await program.ask('chekout');
  await owner.goto(`/p/${organization.project.slug}/insights?tab=unknown`);
  const row = owner.getByRole('row', { name: /chekout/ });
  await expect(row).toContainText('Staging');
  await row.getByRole('button', { name: 'Create flag chekout' }).click();
  const dialog = owner.getByRole('dialog', { name: 'Create flag chekout' });
  await expect(dialog).toContainText('Apps in Staging get this flag');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Checkout');
  await dialog.getByRole('button', { name: 'Create flag' }).click();
  await expect(owner.getByRole('heading', { name: 'No unknown flags' })).toBeVisible();
  await program.sees('chekout', false);
});

test('stale flags say why, and are kept or archived', async ({ owner, organization }) => {
  for (const key of ['done', 'forgotten', 'young']) await organization.flag(key);
  for (const slug of ['dev', 'staging', 'production'])
    await organization.set('done', slug, { enabled: true });
  for (const key of ['done', 'forgotten']) await backdate(organization, key, 45);
  await owner.goto(`/p/${organization.project.slug}/insights?tab=stale`);
  await expect(owner.getByRole('link', { name: 'Select several in the list of flags' })).toBeVisible();
  const table = owner.getByRole('table', { name: 'Stale flags' });
  const done = table.getByRole('row', { name: /^done/ });
  await expect(done).toContainText('On for everyone everywhere since');
  await expect(done).toContainText('Never evaluated.');
  await expect(done).toContainText('Nothing changes: no app asks for it.');
  await expect(table.getByRole('row', { name: /young/ })).toHaveCount(0);

  await owner.getByRole('button', { name: /Reason/ }).click();
  await owner.getByRole('option', { name: 'On for everyone for 30 days' }).click();
  await expect(table.getByRole('row', { name: /^forgotten/ })).toHaveCount(0);
  await expect(owner).toHaveURL(/reason=fully_on/);

  await done.getByRole('button', { name: 'Mark permanent: done' }).click();
  await expect(owner.getByRole('heading', { name: 'No stale flags match' })).toBeVisible();
  await owner.getByRole('button', { name: 'Clear filters' }).click();
  await table.getByRole('button', { name: 'Archive forgotten' }).click();
  const dialog = owner.getByRole('dialog', { name: 'Archive forgotten?' });
  await dialog.getByRole('textbox', { name: 'Type forgotten to confirm' }).fill('forgotten');
  await dialog.getByRole('button', { name: 'Archive the flag' }).click();
  await expect(owner.getByRole('heading', { name: 'No stale flags', exact: true })).toBeVisible();
});

test('nothing counted yet: the page says how to begin', async ({ owner, organization }) => {
  await owner.goto(`/p/${organization.project.slug}/insights?range=year`);
  await expect(owner.getByRole('heading', { name: 'No evaluations yet' })).toBeVisible();
  await expect(owner.getByRole('region', { name: 'Evaluate a flag from a shell' })).toContainText(
    '/v1/evaluate',
  );
  await owner.getByRole('tab', { name: 'Stale flags' }).click();
  await expect(owner.getByRole('heading', { name: 'No stale flags' })).toBeVisible();
  await owner.getByRole('tab', { name: 'Impressions' }).click();
  await expect(owner.getByRole('region', { name: 'Report an impression' })).toContainText('/v1/track');
});

test('impressions are listed by variant', async ({ owner, organization }) => {
  const program = await organization.program('production');
  for (const user of ['a', 'b', 'c']) await program.track('button', 'blue', user);
  await program.track('button', 'green');
  await owner.goto(`/p/${organization.project.slug}/insights?tab=impressions`);
  const table = owner.getByRole('table', { name: 'Impressions' });
  await expect(table.getByRole('row', { name: /button blue 3 75%/ })).toBeVisible();
  await expect(table.getByRole('row', { name: /button green 1 25%/ })).toBeVisible();
});

test('a role without metrics sees whom to ask, and which flags are stale', async ({
  organization,
  browserOf,
}) => {
  const developer = await organization.invite('developer');
  const page = await (await browserOf(developer)).newPage();
  await page.goto(`/p/${organization.project.slug}/insights`);
  await expect(page.getByText('Your role may not see metrics')).toBeVisible();
  await expect(page.getByText(/Ask Ada Lovelace/)).toBeVisible();
  await page.getByRole('tab', { name: 'Stale flags' }).click();
  await expect(page.getByRole('heading', { name: 'No stale flags' })).toBeVisible();
});

test('a flag says whether it is still used', async ({ owner, organization }) => {
  await evaluated(organization, 40);
  await organization.flag('unused');
  const flags = `/p/${organization.project.slug}/flags`;
  await owner.goto(`${flags}/button?env=production&tab=insights`);
  await expect(owner.getByText(/Yes\. It was last evaluated/)).toContainText(
    /In Production: \d+ evaluations in the last 30 days/,
  );
  await expect(owner.getByRole('application', { name: 'Evaluations by variant, chart' })).toBeVisible();
  await expect(owner.getByRole('table', { name: 'Share of each variant' })).toBeVisible();
  await owner.goto(`${flags}/unused?env=production&tab=insights`);
  await expect(owner.getByText(/It was never evaluated\./)).toBeVisible();
});
