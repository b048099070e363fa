import { checkAccessibility } from './support/axe';
import { lengthenTexts } from './support/longTexts';
import { SCENES, show, viewportsOf } from './support/scenes/index';
import { expect, test } from './support/test';

/** Pages that hold longer texts, as other languages have, hold ours; pictures for eyes are of the pages as they are. */
const AS_IT_IS = process.env.HALYARD_TEXTS === 'short';

for (const scene of SCENES) {
  test(`scene: ${scene.name}`, async ({ page, context, showcase, watch }) => {
    watch.expect(...(scene.statuses ?? []));
    if (!AS_IT_IS) await lengthenTexts(context);
    await show(scene, { page, context, showcase });
    if (!AS_IT_IS) await expect(page.getByText('ôôô').first()).toBeVisible();
    await checkAccessibility(page, scene.name, viewportsOf(scene));
  });
}
