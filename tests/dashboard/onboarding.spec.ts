import { tabTo } from './support/forms';
import { Program } from './support/organization';
import { place } from './support/places';
import { expect, test } from './support/test';

test('the first evaluation turns the page green, by keyboard alone', async ({ owner }) => {
  const began = Date.now();
  await owner.goto('/onboarding');
  const makeFlag = owner.getByRole('button', { name: /^Create new-/ });
  await expect(makeFlag).toBeVisible();
  await tabTo(owner, makeFlag);
  await owner.keyboard.press('Enter');
  await expect(owner.getByText(/^new-checkout is created\.$/)).toBeVisible();

  const makeKey = owner.getByRole('button', { name: 'Create a key' });
  await tabTo(owner, makeKey);
  await owner.keyboard.press('Enter');
  await expect(owner.getByText('The key is created and filled in below.')).toBeVisible();
  const key = ((await owner.getByRole('region', { name: 'API key' }).textContent()) ?? '').trim();
  await expect(owner.getByRole('region', { name: 'Call it from your code' })).toContainText(key);
  await expect(owner.getByText('Waiting for the first call of your code.')).toBeVisible();

  const toggle = owner.getByRole('switch', { name: / in Development$/ });
  const flag = ((await toggle.textContent()) ?? '').replace(/ in Development$/, '');
  const program = new Program(key);
  await expect.poll(() => program.ask(flag).catch(() => null)).toMatchObject({ value: false });
  await expect(owner.getByText(/^Your code called the flag/)).toBeVisible({ timeout: 60_000 });
  expect(Date.now() - began, 'within a minute').toBeLessThan(60_000);

  await tabTo(owner, toggle);
  await owner.keyboard.press('Space');
  await expect(toggle).toBeChecked();
  await expect.poll(() => program.ask(flag)).toMatchObject({ value: true });
  const finish = owner.getByRole('link', { name: 'Go to the flags' });
  await tabTo(owner, finish);
  await owner.keyboard.press('Enter');
  await expect(owner.getByRole('switch', { name: `${flag} in Development` })).toBeChecked();
});

test('each language has its program, with the address and the key', async ({ owner }) => {
  await owner.goto('/onboarding');
  await owner.getByRole('button', { name: 'Create a key' }).click();
  await expect(owner.getByText('The key is created and filled in below.')).toBeVisible();
  await owner.getByRole('button', { name: /Language/ }).click();
  const languages = owner.getByRole('option');
  await expect(languages).toHaveCount(5);
  const names = await languages.allTextContents();
  await owner.keyboard.press('Escape');
  for (const name of names) {
    await owner.getByRole('button', { name: /Language/ }).click();
    await owner.getByRole('option', { name, exact: true }).click();
    await expect(owner.getByRole('region', { name: 'Call it from your code' })).toContainText(/\S/);
    const install = owner.getByRole('region', { name: 'Install the packages' });
    if (name.includes('curl')) await expect(install).toHaveCount(0);
    else await expect(install).toContainText(/openfeature/i);
  }
});

test('a reload keeps the steps, and another key takes the place of the one that cannot be shown again', async ({
  owner,
  organization,
}) => {
  await owner.goto('/onboarding');
  await owner.getByRole('button', { name: /^Create new-/ }).click();
  await owner.getByRole('button', { name: 'Create a key' }).click();
  const shown = owner.getByRole('region', { name: 'API key' });
  const first = ((await shown.textContent()) ?? '').trim();
  const toggle = owner.getByRole('switch', { name: / in Development$/ });
  await toggle.click();
  await expect(toggle).toBeChecked();
  await owner.reload();
  const step = (name: string) =>
    owner.getByRole('listitem').filter({ has: owner.getByRole('heading', { name }) });
  for (const name of ['Create a flag', 'Create an API key', 'Toggle it and watch']) {
    await expect(step(name)).toContainText('done');
  }
  await expect(toggle).toBeChecked();

  await expect(owner.getByText(new RegExp(`^You created the key ${first.slice(0, 12)}`))).toBeVisible();
  await owner.getByRole('button', { name: 'Replace the key' }).click();
  await expect(shown).toBeVisible();
  expect((await shown.textContent())?.trim()).not.toBe(first);
  const path = `/v1/environments/${organization.environment('dev').id}/api-keys`;
  const keys = await organization.owner.api.get<{
    data: { revoked_at: string | null; expires_at: string | null }[];
  }>(path);
  const live = keys.data.filter(
    key => key.revoked_at === null && (key.expires_at === null || Date.parse(key.expires_at) > Date.now()),
  );
  expect(live, 'no key is left over').toHaveLength(1);
});

test('programs are given the address of the edges', async ({ owner }) => {
  await owner.goto('/onboarding');
  const program = owner.getByRole('region', { name: 'Call it from your code' });
  await expect(program).toContainText(`HALYARD_EDGE_URL=${place.edge}`);
});
