import { expect, type Locator, type Page } from '@playwright/test';

/** Fills the page of `/login` in and sends it. */
export async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Email' }).fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Chooses from a list that a button opens. */
export async function choose(page: Page, name: string | RegExp, option: string | RegExp): Promise<void> {
  await page.getByRole('button', { name }).click();
  await page.getByRole('option', { name: option }).click();
}

/** Moves the focus as somebody without a pointer does, until it is there. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let steps = 0; steps < 100; steps += 1) {
    if (await target.evaluate(element => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  await expect(target, 'the keyboard reaches it').toBeFocused();
}
