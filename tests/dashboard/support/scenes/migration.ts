import { click, heading, newcomer, type Scene } from './scene';

const wizard = click('Start an import');

export const migrationScenes: Scene[] = [
  {
    name: 'imports, none',
    page: '/migration',
    state: 'empty',
    path: () => '/migration',
    ready: heading('No imports yet'),
    as: newcomer,
  },
  {
    name: 'imports',
    page: '/migration',
    state: 'loaded',
    path: () => '/migration',
    ready: page => page.getByRole('table', { name: 'Imports of this organization' }),
  },
  {
    name: 'imports, a new one',
    page: '/migration',
    state: 'loaded',
    path: () => '/migration',
    ready: page => page.getByRole('button', { name: 'Connect' }),
    act: wizard,
  },
  {
    name: 'imports, a refused address',
    page: '/migration',
    state: 'refused',
    path: () => '/migration',
    ready: page => page.getByText(/must not lead/),
    act: async page => {
      await wizard(page);
      await page.getByRole('textbox', { name: 'Address' }).fill('http://169.254.169.254/');
      await page.getByRole('textbox', { name: 'Source project' }).fill('shop');
      await page.getByRole('textbox', { name: 'API token' }).fill('token');
      await page.getByRole('button', { name: 'Connect' }).click();
    },
    statuses: [400],
  },
  {
    name: 'imports, a viewer',
    page: '/migration',
    state: 'forbidden',
    path: () => '/migration',
    ready: heading('You may not open this'),
    as: of => of.viewer,
    statuses: [403],
  },
  {
    name: 'import',
    page: '/migration/{id}',
    state: 'loaded',
    path: of => `/migration/${of.migration}`,
    ready: page => page.getByRole('radio', { name: /^All / }),
  },
  {
    name: 'import, not there',
    page: '/migration/{id}',
    state: 'missing',
    path: of => `/migration/${of.organization.id}`,
    ready: heading('Nothing here'),
    statuses: [404],
  },
  {
    name: 'import, a viewer',
    page: '/migration/{id}',
    state: 'forbidden',
    path: of => `/migration/${of.migration}`,
    ready: heading('You may not open this'),
    as: of => of.viewer,
    statuses: [403],
  },
];
