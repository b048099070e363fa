import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { place } from './places';

export const PHONE = { width: 320, height: 640 };

/** The widths that every page holds. */
export const VIEWPORTS = [{ width: 1280, height: 800 }, PHONE];

/** For eyes, where somebody wants to look: fonts and engines differ too much for a comparison of pixels. */
export async function picture(page: Page, folder: string, ...names: (string | number)[]): Promise<void> {
  if (!place.pictures) return;
  const file = `${names.join('-').replace(/\W+/g, '-')}.png`;
  await page.screenshot({ path: join(place.results, folder, file), fullPage: true });
}

/** Neither the page nor a dialog needs scrolling to the side. */
export async function expectNothingBeside(page: Page): Promise<void> {
  const across = await page.evaluate(() => {
    const held = [
      document.documentElement,
      ...document.querySelectorAll('[role=dialog], [role=alertdialog]'),
    ];
    const tooWide = held.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
    return tooWide.flatMap(holder => {
      const edge = holder.getBoundingClientRect().left + holder.clientWidth;
      const beside = [...holder.querySelectorAll('*')].filter(
        element => element.getBoundingClientRect().right > edge,
      );
      return beside.slice(-3).map(({ outerHTML }) => outerHTML.slice(0, 200));
    });
  });
  const width = page.viewportSize()?.width;
  expect(across, `beside the screen or a dialog at ${width} px`).toEqual([]);
}
