import { click, dialog, heading, newcomer, project, type Scene } from './scene';

export const flagsScenes: Scene[] = [
  {
    name: 'flags',
    page: '/p/{project}/flags',
    state: 'loaded',
    path: of => `${project(of)}/flags`,
    ready: page => page.getByRole('switch').first(),
  },
  {
    name: 'flags, a viewer',
    page: '/p/{project}/flags',
    state: 'forbidden',
    path: of => `${project(of)}/flags`,
    ready: page => page.getByRole('rowheader').first(),
    as: of => of.viewer,
  },
  {
    name: 'flags, none',
    page: '/p/{project}/flags',
    state: 'empty',
    path: () => '/',
    ready: heading('No flags yet'),
    as: newcomer,
  },
  {
    name: 'flags, none match',
    page: '/p/{project}/flags',
    state: 'noMatch',
    path: of => `${project(of)}/flags?q=nothing`,
    ready: heading('No flag matches'),
  },
  {
    name: 'flags, a new one',
    page: '/p/{project}/flags',
    state: 'dialog',
    path: of => `${project(of)}/flags`,
    ready: dialog,
    act: click('Create a flag'),
  },
  {
    name: 'flags, selected',
    page: '/p/{project}/flags',
    state: 'loaded',
    path: of => `${project(of)}/flags`,
    ready: page => page.getByRole('region', { name: 'Selected flags' }).or(page.getByRole('grid')).first(),
    act: async page => {
      const box = page.getByRole('checkbox').first();
      await page.getByRole('switch').first().waitFor();
      if (await box.isVisible()) await box.check();
    },
  },
  {
    name: 'flags, asking before production',
    page: '/p/{project}/flags',
    state: 'dialog',
    path: of => `${project(of)}/flags`,
    ready: dialog,
    act: async page => page.getByRole('switch', { name: 'checkout in Production' }).click(),
  },
  {
    name: 'environments compared',
    page: '/p/{project}/compare',
    state: 'loaded',
    path: of => `${project(of)}/compare`,
    ready: page => page.getByRole('list', { name: 'Flags that differ' }),
  },
  {
    name: 'environments compared, a promotion',
    page: '/p/{project}/compare',
    state: 'dialog',
    path: of => `${project(of)}/compare?from=production&to=dev`,
    ready: dialog,
    act: click('Promote…'),
  },
  {
    name: 'environments compared, a viewer',
    page: '/p/{project}/compare',
    state: 'forbidden',
    path: of => `${project(of)}/compare`,
    ready: page => page.getByText("Your role can't promote to Production.", { exact: false }),
    as: of => of.viewer,
  },
  {
    name: 'environments compared, no difference',
    page: '/p/{project}/compare',
    state: 'empty',
    path: () => '/p/untouched/compare?from=dev&to=staging',
    ready: heading('No differences'),
  },
  {
    name: 'environments compared, one unknown',
    page: '/p/{project}/compare',
    state: 'missing',
    path: of => `${project(of)}/compare?to=nowhere`,
    ready: heading('There is no environment “nowhere”'),
  },
  {
    name: 'flags, archived',
    page: '/p/{project}/flags',
    state: 'loaded',
    path: of => `${project(of)}/flags?archived=true`,
    ready: heading('Archived flags'),
  },
];
