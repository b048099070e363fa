import type { Locator, Page } from '@playwright/test';
import { accessOf, admits, ROLES, type Staffed, staff } from './support/access';
import { ACCESS, FORBIDDEN } from './support/accessTable';
import { PAGES } from './support/table';
import { expect, test } from './support/test';

let staffed: Staffed;
test.beforeAll(async () => {
  staffed = await staff();
});

/** It is there, and does something when it is pressed or typed into. */
async function isUsable(control: Locator): Promise<boolean> {
  if ((await control.count()) === 0 || !(await control.isEnabled())) return false;
  if ((await control.getAttribute('aria-disabled')) === 'true') return false;
  return (await control.getAttribute('readonly')) === null;
}

/** Opens an address as a link does, without loading the document again. */
async function follow(page: Page, address: string): Promise<void> {
  if (page.url() === 'about:blank') return void (await page.goto(address));
  const isAnother = await page.evaluate(to => {
    const isAnother = new URL(to, location.href).pathname !== location.pathname;
    if (isAnother) document.querySelector('main > *')?.setAttribute('data-left', '');
    history.pushState(null, '', to);
    return isAnother;
  }, address);
  if (isAnother) await expect(page.locator('[data-left]')).toHaveCount(0);
}

test('every page after sign-in is in the table of access', () => {
  const open = ['/', '/forgot-password', '/login', '/login/handoff', '/reset-password', '/signup'];
  expect([...new Set(ACCESS.map(({ page }) => page))].sort()).toEqual(
    PAGES.filter(page => !open.includes(page)).sort(),
  );
});

for (const role of ROLES) {
  test(`a ${role} opens the pages, and finds the controls, that the access table allows`, async ({
    browserOf,
    watch,
  }) => {
    test.setTimeout(120_000);
    watch.expect(403);
    const page = await (await browserOf(staffed.people[role])).newPage();
    for (const { path, reads, ready, act, instead = FORBIDDEN, controls = [] } of ACCESS) {
      const address = path(staffed);
      await follow(page, address);
      const isAdmitted = reads === null || admits(reads, role);
      await expect((isAdmitted ? ready : instead)(page), `${address} for a ${role}`).toBeVisible();
      if (isAdmitted) await expect(page.getByRole('main').locator('[aria-busy="true"]')).toHaveCount(0);
      if (isAdmitted) await act?.(page);
      for (const [operation, find] of controls) {
        await expect
          .poll(() => isUsable(find(page)), { message: `${operation} on ${address} for a ${role}` })
          .toBe(isAdmitted && admits(operation, role));
      }
      if (act !== undefined) await page.keyboard.press('Escape');
    }

    const main = page.getByRole('navigation', { name: 'Main' });
    for (const { link, reads, page: path } of ACCESS) {
      if (link === undefined) continue;
      // Stale flags are for everyone who may see flags.
      const isThere = reads === null || path.endsWith('/insights') || admits(reads, role);
      await expect(main.getByRole('link', { name: link, exact: true }), link).toHaveCount(isThere ? 1 : 0);
    }
  });
}

test('a custom role that may read nothing is told so on every page', async ({ browserOf, watch }) => {
  watch.expect(403);
  const { of, member } = staffed;
  const { api } = of.organization.owner;
  const { id } = await api.post<{ id: string }>('/v1/roles', {
    name: 'Nothing',
    permissions: ['projects.read'],
  });
  const developer = staffed.people.developer;
  await api.put(`/v1/members/${member}`, { custom_role_id: id });
  try {
    const page = await (await browserOf(developer)).newPage();
    for (const path of new Set(ACCESS.map(({ page }) => page))) {
      const row = ACCESS.find(({ page }) => page === path);
      if (row === undefined || row.reads === null || accessOf(row.reads).permissions.length === 0) continue;
      await follow(page, row.path(staffed));
      await expect(FORBIDDEN(page), row.path(staffed)).toBeVisible();
    }
  } finally {
    await api.put(`/v1/members/${member}`, { custom_role_id: null });
    await api.delete(`/v1/roles/${id}`);
  }
});
