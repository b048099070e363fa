import type { Page } from '@playwright/test';
import paths from '../../control-plane/dashboard/src/routes/paths.json' with { type: 'json' };
import { checkAccessibility } from './support/axe';
import { SCENES, type Scene } from './support/scenes/index';
import { enter } from './support/session';
import { expect, test } from './support/test';

/** All but what the frame around a page needs, without which there is no page. */
const OF_THE_PAGE = /\/v1\/(?!auth\/session(?:\/refresh)?$|me$|events$)/;

/** A page as it is when all is well, without anything that has to be pressed first. */
const LOADED: Scene[] = paths.flatMap(path => {
  const scene = SCENES.find(({ page, state, act }) => page === path && state === 'loaded' && !act);
  return scene === undefined || scene.isOpen ? [] : [scene];
});

for (const scene of LOADED) {
  test(`${scene.page} while it loads, and where its data cannot be had`, async ({
    page,
    context,
    showcase,
    watch,
  }) => {
    watch.expectAbsence();
    watch.expect(...(scene.statuses ?? []));
    await enter(context, (await scene.as?.(showcase)) ?? showcase.organization.owner);

    const held = await hold(page);
    await page.goto(scene.path(showcase));
    const main = page.getByRole('main');
    const busy = main.locator('[aria-busy="true"]').first();
    await expect(busy.or(scene.ready(page)).first()).toBeVisible();
    // A page that shows all it is for without an answer has nothing to wait for.
    if (await scene.ready(page).isVisible()) return;

    await held.drop();
    const again = main.getByRole('button', { name: 'Try again' });
    await expect(again.first().or(scene.ready(page)).first()).toBeVisible();
    await checkAccessibility(page, `${scene.name}, unavailable`);
    // Each part that failed has its own.
    await expect(async () => {
      for (const button of await again.all()) await button.click({ timeout: 1000 });
      await expect(scene.ready(page)).toBeVisible({ timeout: 3000 });
    }).toPass();
  });
}

/** Holds the requests of a page until they are dropped, as a line does that is cut in the end. */
async function hold(page: Page) {
  let release: () => void = () => undefined;
  const dropped = new Promise<void>(resolve => {
    release = resolve;
  });
  await page.route(OF_THE_PAGE, async route => {
    await dropped;
    await route.abort('connectionreset');
  });
  return {
    drop: async () => {
      release();
      await expect(page.getByRole('main').locator('[aria-busy="true"]')).toHaveCount(0);
      await page.unroute(OF_THE_PAGE);
    },
  };
}
