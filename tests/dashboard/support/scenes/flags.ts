import { Organization } from '../organization';
import { click, DEFAULT_PROJECT, dialog, heading, newcomer, project, type Scene } from './scene';

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
    name: 'flags, saved filters',
    page: '/p/{project}/flags',
    state: 'dialog',
    path: of => `${project(of)}/flags?owner=me`,
    ready: page => page.getByRole('button', { name: 'Delete Mine' }),
    act: async page => {
      await page.getByRole('button', { name: 'Saved filters' }).click();
      await page.getByRole('dialog').getByRole('textbox').fill('Mine');
      await page.keyboard.press('Enter');
    },
  },
  {
    name: 'flags, a key refused',
    page: '/p/{project}/flags',
    state: 'refused',
    path: of => `${project(of)}/flags`,
    ready: page => page.getByRole('textbox', { name: 'Key', description: /must/ }),
    act: async page => {
      await page.getByRole('button', { name: 'Create a flag' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('New');
      await page.getByRole('textbox', { name: 'Key' }).fill('not a key');
      await page.getByRole('dialog').getByRole('button', { name: 'Create a flag' }).click();
    },
    statuses: [400],
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
    name: 'environments compared, a flag archived by someone else',
    page: '/p/{project}/compare',
    state: 'conflict',
    path: () => `${DEFAULT_PROJECT}/compare?from=dev&to=staging`,
    ready: page => page.getByRole('dialog').getByText('1 flag did not change'),
    as: async () => {
      const organization = await Organization.register();
      for (const key of ['checkout', 'search']) {
        await organization.flag(key);
        await organization.set(key, 'dev', { enabled: true });
      }
      return organization.owner;
    },
    act: async (page, { api }) => {
      await page.getByRole('checkbox', { name: /^Select all/ }).check();
      await page.getByRole('button', { name: /^Promote 2/ }).click();
      const { data } = await api.get<{ data: { id: string }[] }>('/v1/projects');
      await api.post(`/v1/projects/${data[0]?.id}/flags/search/archive`);
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Promote/ })
        .click();
      // The list behind the results is empty by then.
      await page.getByText('No differences').waitFor();
    },
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
    path: () => `${DEFAULT_PROJECT}/compare?from=dev&to=staging`,
    as: newcomer,
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
