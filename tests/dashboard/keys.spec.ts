import type { Page } from '@playwright/test';
import { type Organization, Program } from './support/organization';
import { expect, test } from './support/test';

async function open(page: Page, { project }: Organization): Promise<void> {
  await page.goto(`/p/${project.slug}/environments/dev/keys`);
  await expect(page.getByRole('heading', { name: 'API keys of Development', level: 1 })).toBeVisible();
}

/** The text of the key that is shown this once. */
async function keep(page: Page): Promise<string> {
  const shown = page.getByRole('dialog', { name: 'Copy the key now' });
  const key = (await shown.getByRole('region', { name: 'API key' }).textContent())?.trim() ?? '';
  await shown.getByRole('button', { name: "I've saved it" }).click();
  await expect(shown).toHaveCount(0);
  return key;
}

test('a key is shown once, and is nowhere afterwards', async ({ owner, organization }) => {
  await organization.flag('checkout');
  await open(owner, organization);
  await owner.getByRole('button', { name: 'Create an API key' }).click();
  const create = owner.getByRole('dialog', { name: 'Create an API key' });
  await create.getByRole('textbox', { name: 'Name' }).fill('shop');
  await create.getByText('Client', { exact: true }).click();
  await create.getByRole('button', { name: 'Create the key' }).click();

  const shown = owner.getByRole('dialog', { name: 'Copy the key now' });
  await expect(shown.getByRole('region', { name: 'Try it' })).toContainText('"flag_key": "checkout"');
  await owner.keyboard.press('Escape');
  await owner.mouse.click(5, 5);
  await expect(shown).toBeVisible();
  const key = await keep(owner);
  expect(key).toMatch(/^cli_[0-9a-f]{48}$/);
  await new Program(key).sees('checkout', false);

  await expect(owner.getByRole('row').filter({ hasText: 'shop' })).toContainText(`${key.slice(0, 12)}…`);
  const left = await owner.evaluate(() =>
    JSON.stringify([
      document.documentElement.outerHTML,
      location.href,
      history.state,
      { ...localStorage },
      { ...sessionStorage },
    ]),
  );
  expect(left).not.toContain(key);
});

test('a key is rotated with grace and revoked by its name', async ({ owner, organization }) => {
  await organization.flag('checkout');
  const old = await organization.program('dev');
  await old.sees('checkout', false);
  await open(owner, organization);
  await owner.getByRole('button', { name: /^Rotate test/ }).click();
  const rotate = owner.getByRole('dialog', { name: 'Rotate test?' });
  await expect(rotate.getByText(/^The old key stops working at /)).toBeVisible();
  await rotate.getByRole('button', { name: 'Rotate the key' }).click();
  const fresh = new Program(await keep(owner));
  await fresh.sees('checkout', false);
  await old.sees('checkout', false);
  const row = owner.getByRole('row').filter({ hasText: old.key.slice(0, 12) });
  await expect(row).toContainText(/in 23:59:\d\d/);

  await row.getByRole('button', { name: /^Revoke test/ }).click();
  const revoke = owner.getByRole('dialog', { name: 'Revoke test?' });
  const confirm = revoke.getByRole('button', { name: 'Revoke the key' });
  await expect(confirm).toBeDisabled();
  await revoke.getByRole('textbox', { name: 'Type test to confirm' }).fill('test');
  await confirm.click();
  await expect(owner.getByText('test is revoked.')).toBeVisible();
  await expect.poll(() => old.ask('checkout').then(String, String)).toContain('401');
  await fresh.sees('checkout', false);

  await owner.getByRole('button', { name: 'Show 1 ended key' }).click();
  await expect(owner).toHaveURL(/\?ended=true$/);
  await expect(owner.getByRole('table', { name: 'API keys that ended' })).toContainText('Revoked');
});

test('a developer sees keys, and who may change them', async ({ organization, browserOf }) => {
  await organization.program('dev');
  const context = await browserOf(await organization.invite('developer'));
  const page = await context.newPage();
  await open(page, organization);
  await expect(
    page.getByText('Your role, Developer, may not create, rotate or revoke API keys. Owners and Admins may.'),
  ).toBeVisible();
  await expect(page.getByRole('button', { name: 'Create an API key' })).toBeDisabled();
  await expect(page.getByRole('button', { name: /^Revoke test/ })).toBeDisabled();
});

test('long names without blanks stay within a narrow page', async ({ owner, organization }) => {
  const long = 'x'.repeat(120);
  const { project, owner: person } = organization;
  const { id } = await person.api.post<{ id: string }>(`/v1/projects/${project.id}/environments`, {
    name: long,
    slug: 'long',
  });
  await person.api.post(`/v1/environments/${id}/api-keys`, { name: long, type: 'server' });
  await person.api.post(`/v1/projects/${project.id}/segments`, { key: long, name: long, rules: [] });
  await owner.setViewportSize({ width: 360, height: 800 });
  for (const [path, heading] of [
    ['environments/long/keys', /^API keys of x/],
    ['environments', 'Environments'],
    ['segments', 'Segments'],
    [`segments/${long}`, /^x/],
  ] as const) {
    await owner.goto(`/p/${project.slug}/${path}`);
    await expect(owner.getByRole('heading', { name: heading, level: 1 })).toBeVisible();
    await expect(owner.locator('[aria-busy="true"]')).toHaveCount(0);
    const width = await owner.evaluate(() => document.documentElement.scrollWidth);
    expect(width, path).toBeLessThanOrEqual(360);
  }
});

test('an outage is rehearsed with one key and stopped', async ({ owner, organization }) => {
  await organization.flag('checkout');
  const program = await organization.program('dev');
  await program.sees('checkout', false);
  await open(owner, organization);
  await owner.getByRole('button', { name: /^Rehearse an outage for test/ }).click();
  const dialog = owner.getByRole('dialog', { name: 'Rehearse an outage for test?' });
  await expect(dialog).toContainText('No app told a default that differs');
  await dialog.getByRole('button', { name: 'Fail the requests now' }).click();
  const banner = owner.getByRole('status').filter({ hasText: 'An outage is rehearsed' });
  await expect(banner).toContainText(/requests with test fail on purpose for \d+ more seconds/);
  await program.isAnswered(503);
  await banner.getByRole('button', { name: 'Stop the rehearsal' }).click();
  await expect(banner).toHaveCount(0);
  await program.isAnswered(200);
});

test('the settings of a flag show what an outage would change', async ({ owner, organization }) => {
  await organization.flag('checkout');
  const program = await organization.program('dev');
  const settings = `/p/${organization.project.slug}/flags/checkout?tab=settings`;
  await owner.goto(settings);
  const card = owner.getByRole('region', { name: 'Without Halyard' });
  await expect(card).toContainText('No app told its default.');
  await program.sees('checkout', false);
  await program.tells('checkout', true);
  await expect(async () => {
    await owner.goto(settings);
    await expect(card).toContainText('1 of 1 answer would change', { timeout: 2_000 });
  }).toPass();
  await expect(card.getByRole('row').nth(1)).toContainText('shop');
});
