import { lengthenTexts } from './support/longTexts';
import { SCENES, show } from './support/scenes/index';
import { expect, test } from './support/test';
import { expectNothingBeside, picture, VIEWPORTS } from './support/viewports';

for (const scene of SCENES) {
  test(`texts 40 % longer: ${scene.name}`, async ({ page, context, showcase, watch }) => {
    watch.expect(...(scene.statuses ?? []));
    await lengthenTexts(context);
    await show(scene, { page, context, showcase });
    await expect(page.getByText('ôôô').first()).toBeVisible();
    for (const viewport of VIEWPORTS) {
      await page.setViewportSize(viewport);
      await picture(page, 'long', scene.name, viewport.width);
      await expectNothingBeside(page);
    }
  });
}
