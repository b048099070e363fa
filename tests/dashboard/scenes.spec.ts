import { checkAccessibility } from './support/axe';
import { LongTexts } from './support/longTexts';
import { SCENES, show, viewportsOf } from './support/scenes/index';
import { test as base, expect } from './support/test';

/** Pages that hold longer texts, as other languages have, hold ours; pictures for eyes are of the pages as they are. */
const AS_IT_IS = process.env.HALYARD_TEXTS === 'short';

const test = base.extend<object, { longTexts: LongTexts }>({
  longTexts: [
    async ({}, use) => {
      const texts = await LongTexts.start();
      await use(texts);
      texts.stop();
    },
    { scope: 'worker' },
  ],
});

if (!AS_IT_IS) test.use({ baseURL: async ({ longTexts }, use) => use(longTexts.origin) });

for (const scene of SCENES) {
  test(`scene: ${scene.name}`, async ({ page, context, showcase, watch }) => {
    watch.expect(...(scene.statuses ?? []));
    await show(scene, { page, context, showcase });
    if (!AS_IT_IS) await expect(page.getByText('ôôô').first()).toBeVisible();
    await checkAccessibility(page, scene.name, viewportsOf(scene));
  });
}
