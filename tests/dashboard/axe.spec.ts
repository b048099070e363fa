import { checkAccessibility } from './support/axe';
import { SCENES, show } from './support/scenes/index';
import { test } from './support/test';

for (const scene of SCENES) {
  test(`axe: ${scene.name}`, async ({ page, context, showcase, watch }) => {
    watch.expect(...(scene.statuses ?? []));
    await show(scene, { page, context, showcase });
    await checkAccessibility(page, scene.name);
  });
}
