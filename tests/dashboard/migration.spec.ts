import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { choose } from './support/forms';
import { CREDENTIAL, flagsmith, launchDarkly, type Source, unleash } from './support/source';
import { expect, test } from './support/test';

let source: Source;

test.afterEach(() => source.stop());

interface Given {
  platform: string;
  project?: string;
  credential?: string;
}

/** Fills in the first step. */
async function fill(page: Page, { platform, project, credential = CREDENTIAL }: Given): Promise<void> {
  await page.goto('/migration');
  await page.getByRole('button', { name: 'Start an import' }).click();
  await page.getByRole('radio', { name: new RegExp(`^${platform}`) }).check({ force: true });
  await page.getByRole('textbox', { name: 'Address' }).fill(source.url);
  if (project !== undefined) await page.getByRole('textbox', { name: 'Source project' }).fill(project);
  await page.getByRole('textbox', { name: 'API token' }).fill(credential);
}

async function connect(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Connect' }).click();
  await expect(page.getByRole('heading', { name: 'Target' })).toBeFocused();
}

async function analyze(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Analyze' }).click();
  await expect(page.getByRole('heading', { name: 'Review and start' })).toBeVisible();
}

test('a project of LaunchDarkly: each item has a verdict before anything is written, and the report is kept', async ({
  owner,
  organization,
}) => {
  test.slow();
  source = await launchDarkly(1500);
  await fill(owner, { platform: 'LaunchDarkly', project: 'test-project-key' });
  await connect(owner);
  await analyze(owner);
  await expect(owner.getByText(/^Found 1,506 flags/)).toBeVisible();
  const items = owner.getByRole('region', { name: 'What happens to each item' });
  await expect(items).toContainText('flag1');
  expect(await items.getByRole('listitem').count(), 'only those in view').toBeLessThan(100);
  const flags = () =>
    organization.owner.api.get<{ total: number }>(`/v1/projects/${organization.project.id}/flags`);
  expect((await flags()).total, 'nothing is written').toBe(0);

  await owner.getByRole('radio', { name: /^Skipped 1$/ }).check({ force: true });
  await expect(items).toContainText('with blanks');
  await expect(items).toContainText('key must start with a letter');
  await owner.getByRole('radio', { name: /^All / }).check({ force: true });
  await owner.getByRole('searchbox', { name: 'Search names and reasons' }).fill('plain-1499');
  await expect(owner.getByText('1 item', { exact: true })).toBeVisible();

  // Into the environment that is here; what happens is read again.
  await choose(owner, /production goes to|Production goes to/, /Staging/);
  await expect(owner.getByText(/Analyze again to see/)).toBeVisible();
  await owner.getByRole('button', { name: 'Analyze again' }).click();
  const start = owner.getByRole('button', { name: /^Import .* into / });
  await expect(start).toBeDisabled();
  await owner.getByRole('checkbox', { name: /^I have checked the / }).check();
  await start.click();

  await expect(owner).toHaveURL(/\/migration\/[0-9a-f-]{36}$/);
  await expect(owner.getByText(/^The import into .* is complete\.$/)).toBeVisible({ timeout: 60_000 });
  const left = await owner.evaluate(() =>
    JSON.stringify([
      document.documentElement.outerHTML,
      location.href,
      { ...localStorage },
      { ...sessionStorage },
    ]),
  );
  expect(left).not.toContain(CREDENTIAL);
  expect((await flags()).total).toBe(1505);

  // It is there after a reload, item by item, and as a file.
  await owner.reload();
  const report = owner.getByRole('region', { name: 'What happened to each item' }).last();
  await expect(owner.getByRole('radio', { name: /^Skipped 1$/ })).toBeVisible();
  await owner.getByRole('radio', { name: /^Skipped 1$/ }).check({ force: true });
  await expect(report).toContainText('with blanks');
  const [json] = await Promise.all([
    owner.waitForEvent('download'),
    owner.getByRole('button', { name: 'Download JSON' }).click(),
  ]);
  const saved = JSON.parse(await readFile(await json.path(), 'utf8'));
  expect(saved.counts.skipped).toBe(1);
  expect(saved.items.length).toBe(saved.counts.exact + saved.counts.approximated + saved.counts.skipped);
  const [csv] = await Promise.all([
    owner.waitForEvent('download'),
    owner.getByRole('button', { name: 'Download CSV' }).click(),
  ]);
  expect(csv.suggestedFilename()).toMatch(/^import-LaunchDarkly-.*\.csv$/);
  expect(await readFile(await csv.path(), 'utf8')).toContain('flag,plain-1499,plain-1499,exact,');

  await owner.getByRole('link', { name: 'All imports' }).click();
  await expect(owner.getByRole('table', { name: 'Imports of this organization' })).toContainText('Completed');
});

test('Unleash and Flagsmith are read in their own ways', async ({ owner }) => {
  source = await unleash();
  await fill(owner, { platform: 'Unleash', project: 'shop' });
  await connect(owner);
  await owner.getByRole('radio', { name: /^Same users/ }).check({ force: true });
  await analyze(owner);
  await expect(owner.getByText('Found 1 flag, 1 segment and 1 environment.')).toBeVisible();
  const items = owner.getByRole('region', { name: 'What happens to each item' });
  await expect(items).toContainText('beta');
  await expect(items).toContainText('it is archived');
  await owner.getByRole('checkbox', { name: 'I have checked the 1 skipped item.' }).check();
  await owner.getByRole('button', { name: /^Import 3 items into / }).click();
  await expect(owner.getByText(/is complete\.$/)).toBeVisible({ timeout: 30_000 });
  await owner.getByRole('radio', { name: / 0$/ }).first().check({ force: true });
  await expect(owner.getByText('No item matches.')).toBeVisible();
  await source.stop();

  source = await flagsmith();
  await fill(owner, { platform: 'Flagsmith' });
  await connect(owner);
  await expect(owner.getByRole('radio', { name: /^Same users/ })).toHaveCount(0);
  await analyze(owner);
  await expect(owner.getByText(/^Found 1 flag, 0 segments and 1 environment\.$/)).toBeVisible();
});

test('a source that refuses says so in words, at the field or above the form', async ({ owner, watch }) => {
  source = await launchDarkly();
  watch.expect(400, 502);
  await fill(owner, { platform: 'LaunchDarkly', project: 'shop', credential: 'wrong' });
  await owner.getByRole('button', { name: 'Connect' }).click();
  await expect(owner.getByText(/The source answered 401/)).toBeVisible();
  const address = owner.getByRole('textbox', { name: 'Address' });
  await address.fill('http://169.254.169.254/latest');
  await owner.getByRole('button', { name: 'Connect' }).click();
  await expect(address).toHaveAccessibleDescription(/Address must not lead to a private/);
  await expect(owner.getByRole('textbox', { name: 'API token' })).toHaveValue('wrong');
  await address.fill('http://127.0.0.1:9');
  await owner.getByRole('button', { name: 'Connect' }).click();
  await expect(owner.getByText('The source cannot be reached.')).toBeVisible({ timeout: 40_000 });
});

test('a running import shows how far it is, and can be stopped', async ({ owner }) => {
  source = await launchDarkly();
  await fill(owner, { platform: 'LaunchDarkly', project: 'shop' });
  await connect(owner);
  await analyze(owner);
  await owner.getByRole('checkbox', { name: /^I have checked/ }).check();
  source.hold('summary=0');
  await owner.getByRole('button', { name: /^Import .* into / }).click();
  await expect(owner.getByRole('progressbar', { name: 'Progress' })).toBeVisible();
  await owner.getByRole('button', { name: 'Stop the import' }).click();
  await owner.getByRole('dialog').getByRole('button', { name: 'Stop the import' }).click();
  await expect(owner.getByText(/^The import stopped: A member ended the import/)).toBeVisible();
});

test('a developer is told who can import', async ({ organization, browserOf, watch }) => {
  source = await launchDarkly();
  watch.expect(403);
  const page = await (await browserOf(await organization.invite('developer'))).newPage();
  await page.goto('/migration');
  await expect(page.getByRole('heading', { name: 'You may not open this' })).toBeVisible();
});
