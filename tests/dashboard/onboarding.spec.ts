import { tabTo } from './support/forms';
import { Program } from './support/organization';
import { expect, test } from './support/test';

test('the first evaluation turns the page green, by keyboard alone', async ({ owner, watch }) => {
  // Whether the flag is there already.
  watch.expect(404);
  const began = Date.now();
  await owner.goto('/onboarding');
  const makeFlag = owner.getByRole('button', { name: /^Create / });
  await expect(makeFlag).toBeVisible();
  await tabTo(owner, makeFlag);
  await owner.keyboard.press('Enter');
  await expect(owner.getByText(/ is there\.$/)).toBeVisible();

  const makeKey = owner.getByRole('button', { name: 'Make a key' });
  await tabTo(owner, makeKey);
  await owner.keyboard.press('Enter');
  await expect(owner.getByText('The key is made. It is filled in below.')).toBeVisible();
  const key = ((await owner.getByRole('region', { name: 'API key' }).textContent()) ?? '').trim();
  await expect(owner.getByRole('region', { name: 'A program that asks' })).toContainText(key);
  await expect(owner.getByText('Waiting for your program to ask.')).toBeVisible();

  const toggle = owner.getByRole('switch', { name: / in Development$/ });
  const flag = ((await toggle.textContent()) ?? '').replace(/ in Development$/, '');
  const program = new Program(key);
  await expect.poll(() => program.ask(flag).catch(() => null)).toMatchObject({ value: false });
  await expect(owner.getByText(/^It asked/)).toBeVisible({ timeout: 60_000 });
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

test('each language has its program, with the address and the key', async ({ owner, watch }) => {
  // Whether the flag is there already.
  watch.expect(404);
  await owner.goto('/onboarding');
  await owner.getByRole('button', { name: 'Make a key' }).click();
  await expect(owner.getByText('The key is made. It is filled in below.')).toBeVisible();
  await owner.getByRole('button', { name: /Language/ }).click();
  const languages = owner.getByRole('option');
  await expect(languages).toHaveCount(5);
  const names = await languages.allTextContents();
  await owner.keyboard.press('Escape');
  for (const name of names) {
    await owner.getByRole('button', { name: /Language/ }).click();
    await owner.getByRole('option', { name, exact: true }).click();
    await expect(owner.getByRole('region', { name: 'A program that asks' })).toContainText(/\S/);
    const install = owner.getByRole('region', { name: 'Install what it needs' });
    if (name.includes('curl')) await expect(install).toHaveCount(0);
    else await expect(install).toContainText(/openfeature/i);
  }
});
