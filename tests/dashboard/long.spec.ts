import { join } from 'node:path';
import { lengthenTexts } from './support/longTexts';
import { place } from './support/places';
import { SCENES, show } from './support/scenes';
import { expect, test } from './support/test';

for (const scene of SCENES) {
  test(`texts 40 % longer: ${scene.name}`, async ({ page, context, showcase, watch }) => {
    watch.expect(...(scene.statuses ?? []));
    await lengthenTexts(context);
    await show(scene, { page, context, showcase });
    await expect(page.getByText('ôôô').first()).toBeVisible();
    for (const width of [1280, 320]) {
      await page.setViewportSize({ width, height: 800 });
      const picture = `${scene.name.replace(/\W+/g, '-')}-${width}.png`;
      await page.screenshot({ path: join(place.results, 'long', picture), fullPage: true });
      const across = await page.evaluate(() => {
        const held = [
          document.documentElement,
          ...document.querySelectorAll('[role=dialog], [role=alertdialog]'),
        ];
        return Math.max(...held.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
      });
      expect(across, `pixels beside the screen or a dialog at ${width} px`).toBeLessThanOrEqual(0);
    }
  });
}
