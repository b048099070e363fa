import { click, dialog, heading, project, type Scene } from './scene';

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
    name: 'flag, the difference before saving',
    page: '/p/{project}/flags/{key}',
    state: 'dialog',
    path: of => `${project(of)}/flags/checkout?env=production`,
    ready: dialog,
    act: async page => {
      await page.getByRole('switch', { name: 'On in Production' }).click();
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
    name: 'flag, not there',
    page: '/p/{project}/flags/{key}',
    state: 'missing',
    path: of => `${project(of)}/flags/nowhere`,
    ready: heading(/nowhere/),
    statuses: [404],
  },
];
