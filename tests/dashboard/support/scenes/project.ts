import { Organization } from '../organization';
import {
  click,
  DEFAULT_PROJECT,
  dialog,
  freeloader,
  heading,
  newcomer,
  project,
  projectless,
  type Scene,
} from './scene';

const ENVIRONMENTS = '/p/{project}/environments';
const KEYS = '/p/{project}/environments/{env}/keys';

export const projectScenes: Scene[] = [
  {
    name: 'project, not there',
    page: '/p/{project}/flags',
    state: 'missing',
    path: () => '/p/nowhere/flags',
    ready: heading(/No such project|There is no project/),
  },
  {
    name: 'environments',
    page: ENVIRONMENTS,
    state: 'loaded',
    path: of => `${project(of)}/environments`,
    ready: page => page.getByRole('table'),
  },
  {
    name: 'environments, a new one',
    page: ENVIRONMENTS,
    state: 'dialog',
    path: of => `${project(of)}/environments`,
    ready: dialog,
    act: click('Create an environment'),
  },
  {
    name: 'environments, the sampling of one',
    page: ENVIRONMENTS,
    state: 'dialog',
    path: of => `${project(of)}/environments?sampling=staging`,
    ready: page => dialog(page).getByRole('button', { name: /^Add plan/ }),
  },
  {
    name: 'environments, none',
    page: ENVIRONMENTS,
    state: 'empty',
    path: () => '/p/bare/environments',
    ready: heading('No environments yet'),
    as: async () => {
      const owner = await newcomer();
      await owner.api.post('/v1/projects', { name: 'Bare' });
      return owner;
    },
  },
  {
    name: 'environments, a slug refused',
    page: ENVIRONMENTS,
    state: 'refused',
    path: of => `${project(of)}/environments`,
    ready: page => page.getByRole('textbox', { name: 'Slug', description: /slug/ }),
    act: async page => {
      await page.getByRole('button', { name: 'Create an environment' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('Tests');
      await page.getByRole('textbox', { name: 'Slug' }).fill('Not a slug');
      await page.getByRole('dialog').getByRole('button', { name: 'Create an environment' }).click();
    },
    statuses: [400],
  },
  {
    name: 'environments, as many as the plan has',
    page: ENVIRONMENTS,
    state: 'plan',
    path: () => `${DEFAULT_PROJECT}/environments`,
    ready: page => page.getByText(/^Your plan allows 2 environments/),
    as: freeloader,
  },
  {
    name: 'environments, a viewer',
    page: ENVIRONMENTS,
    state: 'forbidden',
    path: of => `${project(of)}/environments`,
    ready: page => page.getByText(/^Your role, Viewer, may not/),
    as: of => of.viewer,
  },
  {
    name: 'environments, changed by someone else',
    page: ENVIRONMENTS,
    state: 'conflict',
    path: () => `${DEFAULT_PROJECT}/environments`,
    ready: page => page.getByText(/^Someone else saved changes\./),
    as: newcomer,
    act: async (page, { api }) => {
      await page.getByRole('button', { name: 'Edit Staging' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('Rehearsal');
      const [{ id } = { id: '' }] = (await api.get<{ data: { id: string }[] }>('/v1/projects')).data;
      const path = `/v1/projects/${id}/environments`;
      const { data } = await api.get<{ data: { id: string; slug: string }[] }>(path);
      const staging = data.find(({ slug }) => slug === 'staging');
      await api.put(`${path}/${staging?.id}`, { name: 'Acceptance' });
      await page.getByRole('button', { name: 'Save' }).click();
    },
    statuses: [412],
  },
  {
    name: 'API keys',
    page: KEYS,
    state: 'loaded',
    path: of => `${project(of)}/environments/production/keys`,
    ready: page => page.getByRole('table', { name: 'API keys in use' }),
  },
  {
    name: 'API keys, none',
    page: KEYS,
    state: 'empty',
    path: of => `${project(of)}/environments/staging/keys`,
    ready: heading('No API keys in use'),
  },
  {
    name: 'API keys, a viewer',
    page: KEYS,
    state: 'forbidden',
    path: of => `${project(of)}/environments/production/keys`,
    ready: page => page.getByRole('heading', { level: 1 }),
    as: of => of.viewer,
    statuses: [403],
  },
  {
    name: 'API keys, a new one',
    page: KEYS,
    state: 'dialog',
    path: of => `${project(of)}/environments/staging/keys`,
    ready: dialog,
    act: click('Create an API key'),
  },
  {
    name: 'API keys, days refused',
    page: KEYS,
    state: 'refused',
    path: of => `${project(of)}/environments/staging/keys`,
    ready: page => page.getByText(/^Write a whole number/),
    act: async page => {
      await page.getByRole('button', { name: 'Create an API key' }).first().click();
      await page.getByRole('textbox', { name: 'Name' }).fill('shop');
      await page.getByRole('button', { name: /Expires/ }).click();
      await page.getByRole('option', { name: 'After a number of days' }).click();
      await page.getByRole('textbox', { name: 'Days' }).fill('0');
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Create/ })
        .click();
    },
  },
  {
    name: 'API keys, no such environment',
    page: KEYS,
    state: 'missing',
    path: of => `${project(of)}/environments/nowhere/keys`,
    ready: heading('There is no environment “nowhere”'),
  },
  {
    name: 'project settings',
    page: '/p/{project}/settings',
    state: 'loaded',
    path: of => `${project(of)}/settings`,
    ready: heading('Project settings'),
  },
  {
    name: 'project settings, a viewer',
    page: '/p/{project}/settings',
    state: 'forbidden',
    path: of => `${project(of)}/settings`,
    ready: page => page.getByText(/^Your role, Viewer, may not/).first(),
    as: of => of.viewer,
  },
  {
    name: 'project settings, a slug refused',
    page: '/p/{project}/settings',
    state: 'refused',
    path: of => `${project(of)}/settings`,
    ready: page => page.getByRole('textbox', { name: 'Slug', description: /must/ }),
    act: async page => {
      await page.getByRole('textbox', { name: 'Slug' }).fill('Not a slug');
      await page.getByRole('button', { name: 'Save' }).click();
    },
    statuses: [400],
  },
  {
    name: 'project settings, a slug that another project has',
    page: '/p/{project}/settings',
    state: 'conflict',
    path: of => `${project(of)}/settings`,
    ready: page => page.getByRole('textbox', { name: 'Slug', description: /already/ }),
    act: async page => {
      await page.getByRole('textbox', { name: 'Slug' }).fill('imported');
      await page.getByRole('button', { name: 'Save' }).click();
    },
    statuses: [409],
  },
  {
    name: 'project, deleted',
    page: '/p/{project}/settings',
    state: 'dialog',
    path: of => `${project(of)}/settings`,
    ready: dialog,
    act: click('Delete the project'),
  },
  {
    name: 'first run',
    page: '/onboarding',
    state: 'loaded',
    path: () => '/onboarding',
    ready: heading('Get started'),
    as: newcomer,
  },
  {
    name: 'first run, a viewer',
    page: '/onboarding',
    state: 'forbidden',
    path: () => '/onboarding',
    ready: page => page.getByText(/^Your role, Viewer, may not/).first(),
    as: async () => (await Organization.register()).invite('viewer'),
  },
  {
    name: 'first run, without a project',
    page: '/onboarding',
    state: 'empty',
    path: () => '/onboarding',
    ready: heading('No project yet'),
    as: projectless,
  },
  {
    name: 'start, without a project',
    page: '/',
    state: 'empty',
    path: () => '/',
    ready: heading('No project yet'),
    as: projectless,
  },
  {
    name: 'start, a new project',
    page: '/',
    state: 'dialog',
    path: () => '/',
    ready: dialog,
    as: projectless,
    act: click('Create a project'),
  },
  {
    name: 'project, as many as the plan has',
    page: '/p/{project}/flags',
    state: 'plan',
    path: () => '/',
    ready: page => page.getByText(/^Your plan allows 1 project/),
    as: freeloader,
    act: async page => {
      await page.getByRole('button', { name: /^Project: / }).click();
      await page.getByRole('menuitem', { name: 'Create a project' }).click();
    },
  },
];
