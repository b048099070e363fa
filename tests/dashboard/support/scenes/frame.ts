import { click, dialog, heading, newcomer, project, type Scene } from './scene';

export const frameScenes: Scene[] = [
  {
    name: 'palette',
    page: '/p/{project}/flags',
    state: 'dialog',
    path: of => `${project(of)}/flags`,
    ready: dialog,
    act: async page => {
      await page.getByRole('switch').first().waitFor();
      await page.keyboard.press('Control+K');
      await page.getByRole('dialog').getByRole('menuitem').first().waitFor();
    },
  },
  {
    name: 'signed out over a page',
    page: '/p/{project}/flags',
    state: 'dialog',
    path: () => '/',
    as: newcomer,
    ready: page => page.getByRole('dialog', { name: 'You were signed out' }),
    statuses: [401],
    act: async page => {
      await page.locator('[data-live="true"]').waitFor();
      await page.evaluate(() =>
        fetch('/v1/auth/session', { method: 'DELETE', headers: { 'content-type': 'application/json' } }),
      );
    },
  },
  {
    name: 'no such page',
    page: '/',
    state: 'missing',
    path: () => '/nowhere',
    ready: heading('Page not found'),
    isOpen: true,
    statuses: [404],
  },
  {
    name: 'menu of the frame',
    page: '/p/{project}/flags',
    state: 'dialog',
    path: of => `${project(of)}/flags`,
    ready: page => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Team' }),
    act: click('Open the menu'),
    isNarrow: true,
  },
  {
    name: 'keyboard shortcuts',
    page: '/p/{project}/flags',
    state: 'dialog',
    path: of => `${project(of)}/flags`,
    ready: dialog,
    act: click('Keyboard shortcuts'),
  },
  {
    name: 'a message',
    page: '/p/{project}/flags',
    state: 'loaded',
    path: of => `${project(of)}/flags?q=button`,
    ready: page => page.getByText(/is on in Staging|is off in Staging/),
    act: async page => page.getByRole('switch', { name: /in Staging\b/ }).click(),
  },
];
