import type { Page } from '@playwright/test';
import { Caller } from './support/api';
import { place } from './support/places';
import { expect, test } from './support/test';

/** The text of the token that is shown this once. */
async function keep(page: Page): Promise<string> {
  const shown = page.getByRole('dialog', { name: 'Copy the token now' });
  const token = (await shown.getByRole('region', { name: 'Access token' }).textContent())?.trim() ?? '';
  await shown.getByRole('button', { name: 'I’ve saved it' }).click();
  await expect(shown).toHaveCount(0);
  return token;
}

const table = (page: Page) => page.getByRole('table', { name: 'Access tokens' });
const rowOf = (page: Page, name: string) => table(page).getByRole('row').filter({ hasText: name });

test('an access token is shown once, calls the API, and is revoked by its name', async ({ owner }) => {
  await owner.goto('/settings/security');
  await expect(owner.getByRole('heading', { name: 'No access tokens' })).toBeVisible();
  await owner.getByRole('button', { name: 'Create a token' }).click();
  const create = owner.getByRole('dialog', { name: 'Create an access token' });
  await create.getByRole('textbox', { name: 'Name' }).fill('deploy');
  await create.getByRole('button', { name: 'Create the token' }).click();

  const shown = owner.getByRole('dialog', { name: 'Copy the token now' });
  await expect(shown.getByText('It is shown only once and is not stored.')).toBeVisible();
  await expect(shown.getByRole('button', { name: 'Copy the token' })).toBeVisible();
  await owner.keyboard.press('Escape');
  await owner.mouse.click(5, 5);
  await expect(shown).toBeVisible();
  const token = await keep(owner);
  expect(token).toMatch(/^halp_[0-9a-f]{56}$/);
  await expect(rowOf(owner, 'deploy')).toContainText('Never');
  await expect(rowOf(owner, 'deploy')).toContainText('None');
  const program = new Caller(place.api, token);
  expect((await program.ask('GET', '/v1/me')).status).toBe(200);

  await owner.reload();
  await expect(rowOf(owner, 'deploy')).toBeVisible();
  await expect(shown).toHaveCount(0);
  const left = await owner.evaluate(() =>
    JSON.stringify([
      document.documentElement.outerHTML,
      location.href,
      history.state,
      { ...localStorage },
      { ...sessionStorage },
    ]),
  );
  expect(left).not.toContain(token);
  await expect(async () => {
    await owner.reload();
    await expect(rowOf(owner, 'deploy')).toContainText('from 127.0.0.1', { timeout: 3000 });
  }).toPass();

  await owner.getByRole('button', { name: 'Revoke deploy' }).click();
  const revoke = owner.getByRole('dialog', { name: 'Revoke deploy?' });
  await expect(revoke.getByText(/^It was last used /)).toBeVisible();
  const confirm = revoke.getByRole('button', { name: 'Revoke the token' });
  await expect(confirm).toBeDisabled();
  await revoke.getByRole('textbox', { name: 'Type deploy to confirm' }).fill('deploy');
  await confirm.click();
  await expect(owner.getByText('deploy is revoked.')).toBeVisible();
  await expect(owner.getByRole('heading', { name: 'No access tokens' })).toBeVisible();
  expect((await program.ask('GET', '/v1/me')).status).toBe(401);
});

test('the limits of an access token are chosen, hold, and are shown in words', async ({
  owner,
  organization,
}) => {
  const { project } = organization;
  await organization.flag('checkout');
  await owner.goto('/settings/security');
  await owner.getByRole('button', { name: 'Create a token' }).click();
  const create = owner.getByRole('dialog', { name: 'Create an access token' });
  await create.getByRole('textbox', { name: 'Name' }).fill('deploy');
  await create.getByRole('button', { name: /Role at most/ }).click();
  await owner.getByRole('option', { name: 'Developer' }).click();
  await create.getByRole('checkbox', { name: 'Read-only: it changes nothing' }).check();
  await create.getByText('Only these, and nothing outside of them').click();
  await create.getByRole('button', { name: 'Create the token' }).click();
  await expect(create.getByRole('alert')).toHaveText('Choose at least one project.');
  await create.getByRole('checkbox', { name: project.name }).check();
  await create.getByText('Only these: it changes nothing elsewhere').click();
  await create.getByRole('checkbox', { name: 'Staging' }).check();
  await create.getByRole('button', { name: 'Create the token' }).click();
  const program = new Caller(place.api, await keep(owner));

  const row = rowOf(owner, 'deploy');
  await expect(row.getByRole('listitem')).toHaveText([
    'Developer at most',
    'Read-only',
    `Projects: ${project.name}`,
    'Environments: Staging',
  ]);
  const flag = `/v1/projects/${project.id}/flags/checkout`;
  expect((await program.ask('GET', flag)).status).toBe(200);
  expect((await program.ask('POST', `/v1/projects/${project.id}/flags`, { key: 'no' })).status).toBe(403);
  expect((await program.ask('GET', '/v1/members')).status).toBe(403);
  const { data } = await organization.owner.api.get<{ data: Record<string, unknown>[] }>('/v1/me/tokens');
  expect(data).toMatchObject([
    {
      name: 'deploy',
      role: 'developer',
      project_ids: [project.id],
      env_ids: [organization.environment('staging').id],
      read_only: true,
    },
  ]);
});

test('the end of an access token is chosen by day, and marked when it is near or past', async ({
  owner,
  organization,
}) => {
  const { api } = organization.owner;
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  await api.post('/v1/me/tokens', { name: 'near', expires_at: inDays(3) });
  await api.post('/v1/me/tokens', { name: 'past', expires_at: new Date(Date.now() + 1000).toISOString() });
  await owner.goto('/settings/security');
  await owner.getByRole('button', { name: 'Create a token' }).click();
  const create = owner.getByRole('dialog', { name: 'Create an access token' });
  await create.getByRole('textbox', { name: 'Name' }).fill('far');
  await create.getByRole('button', { name: /^After 90 days/ }).click();
  await owner.getByRole('option', { name: 'At the end of a day' }).click();
  const day = create.getByLabel('Last day');
  await day.fill(inDays(500).slice(0, 10));
  await create.getByRole('button', { name: 'Create the token' }).click();
  await expect(create.getByText('Choose a day from today on, at most a year from now.')).toBeVisible();
  await day.fill(inDays(100).slice(0, 10));
  await create.getByRole('button', { name: 'Create the token' }).click();
  await keep(owner);

  await owner.reload();
  await expect(rowOf(owner, 'near')).toContainText('Soon');
  await expect(rowOf(owner, 'past')).toContainText('Expired');
  await expect(rowOf(owner, 'far')).not.toContainText(/Soon|Expired/);
  await expect(table(owner).getByRole('row')).toContainText(['Name', 'far', 'near', 'past']);

  await owner.getByRole('button', { name: 'Revoke past' }).click();
  const revoke = owner.getByRole('dialog', { name: 'Revoke past?' });
  await expect(revoke.getByText(/^It has expired/)).toBeVisible();
  await revoke.getByRole('button', { name: 'Revoke the token' }).click();
  await expect(rowOf(owner, 'past')).toHaveCount(0);
});

test('a viewer gives a token no role above their own, by keyboard', async ({ organization, browserOf }) => {
  const page = await (await browserOf(await organization.invite('viewer'))).newPage();
  await page.goto('/settings/security');
  await page.getByRole('button', { name: 'Create a token' }).focus();
  await page.keyboard.press('Enter');
  const create = page.getByRole('dialog', { name: 'Create an access token' });
  const name = create.getByRole('textbox', { name: 'Name' });
  await expect(name).toBeFocused();
  await page.keyboard.type('report');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  const most = create.getByRole('button', { name: /Role at most/ });
  await expect(most).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('option')).toHaveText(['The same as yours', 'Viewer']);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(most).toContainText('Viewer');
  await name.focus();
  await page.keyboard.press('Enter');
  const kept = page.getByRole('dialog').getByRole('button', { name: 'I’ve saved it' });
  await kept.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(rowOf(page, 'report')).toContainText('Viewer at most');
});
