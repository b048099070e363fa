import { Organization } from '../organization';
import { click, DEFAULT_PROJECT, dialog, heading, project, type Scene } from './scene';

export const flagScenes: Scene[] = [
  {
    name: 'flag, targeting',
    page: '/p/{project}/flags/{key}',
    state: 'loaded',
    path: of => `${project(of)}/flags/checkout?env=production`,
    ready: heading('Rules'),
  },
  {
    name: 'flag, an open rule',
    page: '/p/{project}/flags/{key}',
    state: 'loaded',
    path: of => `${project(of)}/flags/checkout?env=production`,
    ready: page => page.getByRole('button', { name: 'Add a condition' }),
    act: click('Edit Testers'),
  },
  {
    name: 'flag, variants',
    page: '/p/{project}/flags/{key}',
    state: 'loaded',
    path: of => `${project(of)}/flags/button-colour?env=production`,
    ready: page => page.getByRole('heading', { name: 'Variants' }),
  },
  {
    name: 'flag, no rules yet',
    page: '/p/{project}/flags/{key}',
    state: 'empty',
    path: of => `${project(of)}/flags/express?env=dev`,
    ready: page => page.getByRole('button', { name: 'Add a rule' }),
  },
  {
    name: 'flag, individual users',
    page: '/p/{project}/flags/{key}',
    state: 'loaded',
    path: of => `${project(of)}/flags/express?env=production`,
    ready: page => page.getByRole('textbox', { name: 'User keys' }),
    act: click('Add users'),
  },
  {
    name: 'flag, all environments',
    page: '/p/{project}/flags/{key}',
    state: 'loaded',
    path: of => `${project(of)}/flags/checkout?env=production&tab=environments`,
    ready: page => page.getByText('Compared with this one'),
  },
  {
    name: 'flag, its owner',
    page: '/p/{project}/flags/{key}',
    state: 'dialog',
    path: of => `${project(of)}/flags/checkout?env=production`,
    ready: dialog,
    act: click('Set owner'),
  },
  {
    name: 'flag, dependencies',
    page: '/p/{project}/flags/{key}',
    state: 'loaded',
    path: of => `${project(of)}/flags/express?env=production&tab=settings`,
    ready: page => page.getByRole('region', { name: 'Dependencies' }).getByRole('link', { name: 'checkout' }),
  },
  {
    name: 'flag, the difference before saving',
    page: '/p/{project}/flags/{key}',
    state: 'dialog',
    path: of => `${project(of)}/flags/checkout?env=production`,
    ready: dialog,
    act: async page => {
      await page.getByRole('switch', { name: 'Production', exact: true }).click();
      await page.getByRole('button', { name: 'Review and save' }).click();
    },
  },
  {
    name: 'flag, a viewer',
    page: '/p/{project}/flags/{key}',
    state: 'forbidden',
    path: of => `${project(of)}/flags/checkout?env=production`,
    ready: heading('Rules'),
    as: of => of.viewer,
  },
  {
    name: 'flag, explained',
    page: '/p/{project}/flags/{key}',
    state: 'loaded',
    path: of => `${project(of)}/flags/checkout?env=production&tab=explain`,
    ready: page => page.getByRole('region', { name: 'Answers' }),
  },
  {
    name: 'flag, history',
    page: '/p/{project}/flags/{key}',
    state: 'loaded',
    path: of => `${project(of)}/flags/checkout?env=production&tab=history`,
    ready: page => page.getByRole('list', { name: 'Versions, the newest first' }),
  },
  {
    name: 'flag, settings',
    page: '/p/{project}/flags/{key}',
    state: 'loaded',
    path: of => `${project(of)}/flags/checkout?env=production&tab=settings`,
    ready: page => page.getByRole('tabpanel').getByRole('button').first(),
  },
  {
    name: 'flag, two versions',
    page: '/p/{project}/flags/{key}',
    state: 'dialog',
    path: of => `${project(of)}/flags/checkout?env=production&tab=history`,
    ready: page => page.getByRole('button', { name: /^Compare with|Close/ }).first(),
    act: click(/Compare or restore/),
  },
  {
    name: 'flag, a kill',
    page: '/p/{project}/flags/{key}',
    state: 'dialog',
    path: of => `${project(of)}/flags/checkout?env=production`,
    ready: dialog,
    act: click('Kill in Production'),
  },
  {
    name: 'flag, a condition refused',
    page: '/p/{project}/flags/{key}',
    state: 'refused',
    path: of => `${project(of)}/flags/express?env=dev`,
    ready: page => page.getByText(/^Fix \d+ field/).first(),
    act: async page => {
      await page.getByRole('button', { name: 'Add a rule' }).click();
      await page.getByRole('combobox', { name: 'Attribute' }).fill('plan');
      await page.keyboard.press('Tab');
      await page.getByRole('button', { name: 'Review and save' }).click();
      // Nothing is half below the bar of the page.
      await page.evaluate(() => scrollTo(0, 0));
    },
  },
  {
    name: 'flag, changed by someone else',
    page: '/p/{project}/flags/{key}',
    state: 'conflict',
    path: () => `${DEFAULT_PROJECT}/flags/checkout?env=dev`,
    ready: page => page.getByRole('dialog', { name: 'Someone else saved changes' }),
    as: async () => {
      const organization = await Organization.register();
      await organization.flag('checkout');
      await organization.set('checkout', 'dev', { enabled: true, percentage_rollout: 1000 });
      return organization.owner;
    },
    act: async (page, { api }) => {
      await page.getByRole('textbox', { name: 'Percentage' }).fill('25');
      await page.getByRole('button', { name: 'Review and save' }).click();
      await page.route('**/environments/*', async route => {
        const { pathname } = new URL(route.request().url());
        if (route.request().method() === 'PUT') await api.put(pathname, { percentage_rollout: 5000 });
        await route.continue();
      });
      await page.getByRole('button', { name: 'Save in Development' }).click();
    },
    statuses: [412],
  },
  {
    name: 'flag, not there',
    page: '/p/{project}/flags/{key}',
    state: 'missing',
    path: of => `${project(of)}/flags/nowhere`,
    ready: heading(/nowhere/),
    statuses: [404],
  },
];
