import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';
import { signIn } from './support/forms';
import { type Organization, PASSWORD } from './support/organization';
import { place } from './support/places';
import { COOKIE } from './support/session';
import { expect, test } from './support/test';
import { until } from './support/until';

/** All that a script of the page could read, beside the memory of other scripts. */
function readable(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const databases = await indexedDB.databases();
    const caches = await window.caches.keys();
    return JSON.stringify([
      document.cookie,
      { ...localStorage },
      { ...sessionStorage },
      databases,
      caches,
      location.href,
    ]);
  });
}

test('a reload keeps the session, and no token can be read by a script', async ({
  page,
  context,
  organization,
}) => {
  await page.goto('/login');
  await signIn(page, organization.owner.email, PASSWORD);
  await expect(page).toHaveURL(`/p/${organization.project.slug}/flags`);
  const [before] = await context.cookies(place.api.replace('http:', 'https:'));
  expect(before).toMatchObject({ name: COOKIE, httpOnly: true, secure: true, sameSite: 'Strict', path: '/' });

  const refreshed = page.waitForResponse(response => response.url().endsWith('/v1/auth/session/refresh'));
  await page.reload();
  expect((await refreshed).status()).toBe(200);
  await expect(page.getByRole('heading', { name: 'No flags yet' })).toBeVisible();
  const [after] = await context.cookies(place.api.replace('http:', 'https:'));
  expect(after?.value, 'each use makes a new one').not.toBe(before?.value);

  const found = await readable(page);
  expect(found).not.toContain('eyJ');
  for (const value of [before?.value, after?.value]) expect(found).not.toContain(value);
  expect(await page.evaluate(() => document.cookie)).toBe('');
});

test('signing out reaches the other tabs', async ({ owner, context, watch }) => {
  watch.expect(401);
  await owner.goto('/');
  const other = await context.newPage();
  await other.goto('/settings/account');
  await expect(other.getByRole('heading', { name: 'Account', level: 1 })).toBeVisible();

  await owner.getByRole('button', { name: 'Account of Ada Lovelace' }).click();
  await owner.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
  for (const tab of [owner, other]) {
    await expect(tab.getByRole('heading', { name: 'Sign in' })).toBeVisible();
    await expect(tab, 'nothing says what was open').toHaveURL('/login');
  }
  await other.reload();
  await expect(other.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  expect(await context.cookies(place.api.replace('http:', 'https:'))).toEqual([]);
});

test('signing out asks before it discards a draft', async ({ owner, organization, watch }) => {
  watch.expect(401);
  await organization.flag('checkout');
  await owner.goto(`/p/${organization.project.slug}/flags/checkout?env=dev`);
  const toggle = owner.getByRole('switch', { name: 'Development', exact: true });
  await toggle.click();
  const signOut = async (item: string) => {
    await owner.getByRole('button', { name: 'Account of Ada Lovelace' }).click();
    await owner.getByRole('menuitem', { name: item, exact: true }).click();
  };
  const leave = owner.getByRole('dialog', { name: 'Leave without saving?' });
  await signOut('Sign out everywhere');
  await leave.getByRole('button', { name: 'Stay' }).click();
  await signOut('Sign out');
  await expect(leave).toContainText('Your changes in Development are not saved.');
  await owner.keyboard.press('Escape');
  await expect(leave).toHaveCount(0);
  await expect(toggle).toBeChecked();

  await signOut('Sign out');
  await leave.getByRole('button', { name: 'Discard and leave' }).click();
  await expect(owner.getByRole('heading', { name: 'Sign in' })).toBeVisible();
});

test('signing out everywhere ends other browsers', async ({ owner, organization, browserOf, watch }) => {
  watch.expect(401);
  const elsewhere = await (await browserOf(await organization.owner.again())).newPage();
  await elsewhere.goto('/');
  await expect(elsewhere.getByRole('status').filter({ hasText: 'Live' })).toHaveText('Live');
  await owner.goto('/');
  await owner.getByRole('button', { name: 'Account of Ada Lovelace' }).click();
  await owner.getByRole('menuitem', { name: 'Sign out everywhere' }).click();
  await owner.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
  await expect(owner.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  const again = elsewhere.getByRole('dialog', { name: 'You were signed out' });
  await expect(again).toBeVisible();
  await again.getByRole('button', { name: 'Go to the sign-in page' }).click();
  await expect(elsewhere.getByText('You were signed out. Sign in again to continue.')).toBeVisible();
  await expect(elsewhere).toHaveURL(/\/login\?next=%2Fp%2F/);
});

/** Ends the sessions of the browsers, by the API. */
async function endFromElsewhere({ owner }: Organization): Promise<void> {
  const { data } = await owner.api.get<{ data: { id: string; current: boolean }[] }>('/v1/auth/sessions');
  for (const { id, current } of data) if (!current) await owner.api.delete(`/v1/auth/sessions/${id}`);
}

async function draft(page: Page, { project }: Organization): Promise<void> {
  await page.goto(`/p/${project.slug}/flags/checkout?env=dev`);
  await page.getByRole('switch', { name: /Development/ }).click();
  await page.getByRole('button', { name: 'Add a rule' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Written before');
  await expect(page.getByRole('button', { name: 'Review and save' })).toBeVisible();
  await expect(page.getByRole('banner').getByRole('status')).toHaveText('Live');
}

test('a session that ends by itself keeps the page, and its draft is saved after signing in', async ({
  owner,
  organization,
  watch,
}) => {
  watch.expect(401);
  await organization.flag('checkout');
  await owner.goto(`/p/${organization.project.slug}/flags/checkout?env=dev`);
  await owner.getByRole('switch', { name: /Development/ }).click();
  await expect(owner.getByRole('banner').getByRole('status')).toHaveText('Live');

  await endFromElsewhere(organization);
  const again = owner.getByRole('dialog', { name: 'You were signed out' });
  await expect(again).toBeVisible();
  await expect(again.getByRole('textbox', { name: 'Email' })).toHaveValue(organization.owner.email);
  await again.getByRole('textbox', { name: 'Password' }).fill('Wrong-Horse-7');
  await again.getByRole('button', { name: 'Sign in' }).click();
  await expect(again.getByRole('alert')).toHaveText('Wrong email or password.');
  await again.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await again.getByRole('button', { name: 'Sign in' }).click();
  await expect(again).toHaveCount(0);

  await expect(owner.getByRole('switch', { name: /Development/ })).toBeChecked();
  await owner.getByRole('button', { name: 'Review and save' }).click();
  await owner.getByRole('dialog').getByRole('button', { name: 'Save in Development' }).click();
  await expect(owner.getByText(/^checkout is saved in Development/)).toBeVisible();
});

test('another user who signs in over a draft starts at the beginning', async ({
  owner,
  organization,
  watch,
}) => {
  watch.expect(401);
  await organization.flag('checkout');
  const { email } = await organization.invite('developer');
  await draft(owner, organization);
  await endFromElsewhere(organization);
  const again = owner.getByRole('dialog', { name: 'You were signed out' });
  await again.getByRole('textbox', { name: 'Email' }).fill(email);
  await again.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await again.getByRole('button', { name: 'Sign in' }).click();
  await expect(owner).toHaveURL(`/p/${organization.project.slug}/flags`);
  await owner.goBack();
  await expect(owner.getByRole('switch', { name: /Development/ })).not.toBeChecked();
  await expect(owner.getByRole('button', { name: 'Review and save' })).toHaveCount(0);
});

test('signing out leaves nothing to the next person', async ({ owner, organization, watch }) => {
  watch.expect(401);
  watch.expectAbsence();
  await organization.flag('checkout');
  const asked: string[] = [];
  owner.on('request', request => {
    if (request.method() === 'GET' && /\/v1\/(me|projects)/.test(request.url())) asked.push(request.url());
  });
  await owner.goto(`/p/${organization.project.slug}/flags/checkout?env=dev`);
  await expect(owner.getByRole('button', { name: 'Add a rule' })).toBeVisible();
  await owner.evaluate(() => {
    for (const storage of [localStorage, sessionStorage])
      storage.setItem('halyard.contexts', 'user@corp.test');
  });
  await owner.getByRole('button', { name: 'Account of Ada Lovelace' }).click();
  await owner.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
  await expect(owner.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await expect(owner).toHaveURL('/login');

  expect(asked.length).toBeGreaterThan(2);
  for (const url of new Set(asked)) {
    const kept = await owner.evaluate(
      address =>
        fetch(address, { cache: 'only-if-cached', mode: 'same-origin' }).then(
          ({ status }) => status,
          () => 'none',
        ),
      url,
    );
    expect(['none', 504], `${url} is not in the cache`).toContain(kept);
  }
  const found = await readable(owner);
  expect(found).not.toContain('corp.test');
  expect(found).not.toContain(organization.project.id);
});

test('sessions are listed, and one can be ended', async ({ owner, organization }) => {
  const program = await organization.owner.again();
  await owner.goto('/settings/security');
  const table = owner.getByRole('table', { name: 'Sessions' });
  const others = table.getByRole('row').filter({ has: owner.getByRole('cell'), hasNotText: 'This one' });
  await expect(table.getByRole('row').filter({ hasText: 'This one' })).toHaveCount(1);
  // The registration has one too.
  await expect(others).toHaveCount(2);
  await others
    .first()
    .getByRole('button', { name: /^End the session of .*127\.0\.0\.1$/ })
    .click();
  await owner
    .getByRole('dialog', { name: 'End this session?' })
    .getByRole('button', { name: 'End the session' })
    .click();
  await expect(owner.getByText('The session has ended.')).toBeVisible();
  await expect(others).toHaveCount(1);
  await until('end of the session', async () =>
    (await program.api.ask('GET', '/v1/me')).status === 401 ? true : undefined,
  );
});

test('posts from other origins are refused and change nothing', async ({ owner, context, watch }) => {
  await owner.goto('/');
  await expect(owner.getByRole('heading', { name: 'No flags yet' })).toBeVisible();
  const [cookie] = await context.cookies(place.api.replace('http:', 'https:'));

  const elsewhere = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>Elsewhere</title><p>Elsewhere</p>');
  });
  await new Promise<void>(resolve => elsewhere.listen(0, resolve));
  // A form leads the browser to the answer, for which it wants an icon.
  watch.expect(403, 404);
  const { port } = elsewhere.address() as AddressInfo;
  try {
    // The first is the same site on another port, whose requests carry the cookie; the second is another site.
    for (const host of ['127.0.0.1', 'localhost']) {
      const page = await context.newPage();
      await page.goto(`http://${host}:${port}/`);
      for (const path of ['/v1/auth/session/refresh', '/v1/auth/session']) {
        const refused = page.waitForResponse(response => response.url() === place.api + path);
        await page.evaluate(async url => {
          await fetch(url, { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{}' });
        }, place.api + path);
        expect((await refused).status(), `${path} from ${host}`).toBe(403);
      }
      const submitted = page.waitForResponse(
        response => response.url() === `${place.api}/v1/auth/session/refresh`,
      );
      await page.evaluate(url => {
        const form = document.createElement('form');
        form.method = 'post';
        form.enctype = 'text/plain';
        form.action = url;
        document.body.append(form);
        form.submit();
      }, `${place.api}/v1/auth/session/refresh`);
      expect((await submitted).status(), `a form from ${host}`).toBe(403);
    }
  } finally {
    elsewhere.close();
    elsewhere.closeAllConnections();
  }
  const [still] = await context.cookies(place.api.replace('http:', 'https:'));
  expect(still?.value).toBe(cookie?.value);
  await owner.reload();
  await expect(owner.getByRole('heading', { name: 'No flags yet' })).toBeVisible();
});

test('tabs that are opened together renew one at a time', async ({ context, organization, owner }) => {
  await owner.goto('/');
  const tabs = await Promise.all([1, 2, 3, 4].map(() => context.newPage()));
  await Promise.all(tabs.map(tab => tab.goto(`/p/${organization.project.slug}/flags`)));
  for (const tab of tabs) await expect(tab.getByRole('heading', { name: 'No flags yet' })).toBeVisible();
});

test('the API document is shown by a page that reaches neither session nor storage', async ({ owner }) => {
  await owner.goto('/docs');
  await expect(owner.getByRole('heading', { name: /^Halyard/ })).toBeVisible({ timeout: 30_000 });
  await expect(owner.getByRole('link', { name: 'evaluation', exact: true }).first()).toBeVisible();
  expect(await owner.evaluate(() => window.origin)).toBe('null');
  const kept = await owner.evaluate(() => {
    try {
      return String(localStorage.length);
    } catch (problem) {
      return (problem as Error).name;
    }
  });
  expect(kept).toBe('SecurityError');
});
