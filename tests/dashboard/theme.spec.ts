import type { Page } from '@playwright/test';
import { expect, test } from './support/test';

/** How light the page's ground is, from 0 to 255. */
function ground(page: Page): Promise<number> {
  return page.evaluate(() => {
    const canvas = document.createElement('canvas').getContext('2d');
    if (canvas === null) return -1;
    canvas.fillStyle = getComputedStyle(document.documentElement).backgroundColor;
    canvas.fillRect(0, 0, 1, 1);
    return canvas.getImageData(0, 0, 1, 1).data[1] ?? -1;
  });
}

const isLight = (page: Page) => expect.poll(() => ground(page)).toBeGreaterThan(200);
const isDark = (page: Page) => expect.poll(() => ground(page)).toBeLessThan(60);

test('the theme follows the system until somebody chooses', async ({ owner }) => {
  await owner.emulateMedia({ colorScheme: 'dark' });
  await owner.goto('/');
  await isDark(owner);
  await owner.emulateMedia({ colorScheme: 'light' });
  await isLight(owner);

  await owner.getByRole('button', { name: 'Account of Ada Lovelace' }).click();
  await owner.getByRole('menuitemradio', { name: 'Dark' }).click();
  await isDark(owner);
  await owner.reload();
  await isDark(owner);

  await owner.keyboard.press('Escape');
  await owner.goto('/settings/account');
  await owner.getByRole('button', { name: /Theme/ }).click();
  await owner.getByRole('option', { name: 'System' }).click();
  await isLight(owner);
  await owner.emulateMedia({ colorScheme: 'dark' });
  await isDark(owner);
});
