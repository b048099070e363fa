import type { Page } from '@playwright/test';
import { checkAccessibility } from './support/axe';
import { PASSWORD } from './support/organization';
import { enter } from './support/session';
import { loadedScene, PAGES } from './support/table';
import { expect, test } from './support/test';

/** All but what the frame around a page needs, without which there is no page. */
const OF_THE_PAGE = /\/v1\/(?!auth\/session(?:\/refresh)?$|me$|events$)/;

const LOADED = PAGES.map(loadedScene).filter(scene => scene !== undefined);

/** The forms before sign-in, filled in so that they can be sent. */
const FORMS = [
  { path: '/login', fields: { Email: 'ada@example.com', Password: PASSWORD }, send: 'Sign in' },
  {
    path: '/signup',
    fields: { 'Your name': 'Ada', Email: 'ada@example.com', Password: PASSWORD, Organization: 'Acme' },
    send: 'Email me a code',
  },
  { path: '/forgot-password', fields: { Email: 'ada@example.com' }, send: 'Email me a code' },
  {
    path: '/reset-password?email=ada@example.com',
    fields: { 'Six-digit code': '123456', 'New password': PASSWORD },
    send: 'Set the password',
  },
];

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
    await page.goto(await scene.path(showcase));
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

test('a form before sign-in that cannot be sent says so', async ({ page, watch }) => {
  watch.expectAbsence();
  for (const { path, fields, send } of FORMS) {
    await page.goto(path);
    for (const [name, value] of Object.entries(fields)) {
      await page.getByRole('textbox', { name }).fill(value);
    }
    await page.route(OF_THE_PAGE, route => route.abort('connectionreset'));
    await page.getByRole('button', { name: send, exact: true }).click();
    await expect(page.getByRole('alert'), path).toContainText(/service|connection/);
    for (const [name, value] of Object.entries(fields)) {
      await expect(page.getByRole('textbox', { name }), `${name} of ${path}`).toHaveValue(value);
    }
    if (path === '/signup') await checkAccessibility(page, 'sign-up, unavailable');
    await page.unroute(OF_THE_PAGE);
  }
});

test('a sign-in link waits, and says so when it cannot be used', async ({ page, watch }) => {
  watch.expectAbsence();
  const held = await hold(page);
  await page.goto('/login/handoff#0000');
  await expect(page.getByRole('status').filter({ hasText: 'One moment.' })).toBeVisible();
  await held.drop();
  await expect(page.getByRole('alert')).toContainText(/service|connection/);
  await expect(page.getByRole('heading', { name: 'Could not sign you in' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Sign in with a password' })).toBeVisible();
  await checkAccessibility(page, 'hand-off, unavailable');
  watch.expect(400, 401);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { name: 'This link no longer works' })).toBeVisible();
});

test('a project that is not there is named by each of its pages', async ({ page, context, showcase }) => {
  await enter(context, showcase.organization.owner);
  for (const path of PAGES.filter(path => path.startsWith('/p/'))) {
    await page.goto(path.replace('{project}', 'nowhere').replaceAll(/[{}]/g, ''));
    await expect(page.getByRole('heading', { level: 1 }), path).toHaveText(/There is no project/);
  }
});

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
