import type { Page } from '@playwright/test';
import { Organization } from '../organization';
import { click, DEFAULT_PROJECT, dialog, heading, newcomer, type Scene } from './scene';

/** Somebody with a draft of two flags. */
async function drafting() {
  const organization = await Organization.register();
  const keys = ['checkout', 'payment'];
  for (const key of keys) await organization.flag(key);
  await organization.draft('Launch', keys, 'production');
  return organization.owner;
}

const open = async (page: Page) => {
  await page.getByRole('link', { name: 'Launch' }).click();
  await heading('What it changes')(page).waitFor();
};

const LIST = `${DEFAULT_PROJECT}/change-sets`;

export const changeSetsScenes: Scene[] = [
  {
    name: 'change sets',
    page: '/p/{project}/change-sets',
    state: 'loaded',
    path: () => LIST,
    ready: page => page.getByRole('link', { name: 'Launch' }),
    as: drafting,
  },
  {
    name: 'change sets, none',
    page: '/p/{project}/change-sets',
    state: 'empty',
    path: () => LIST,
    ready: heading('No change sets yet'),
    as: newcomer,
  },
  {
    name: 'change sets, none of a status',
    page: '/p/{project}/change-sets',
    state: 'noMatch',
    path: () => `${LIST}?status=failed`,
    ready: heading('No change set has this status'),
    as: drafting,
  },
  {
    name: 'change set',
    page: '/p/{project}/change-sets/{id}',
    state: 'loaded',
    path: async ({ organization }) => {
      const id = await organization.draft('Express', ['express'], 'staging');
      return `/p/${organization.project.slug}/change-sets/${id}`;
    },
    ready: heading('What it changes'),
  },
  {
    name: 'change set, applied later',
    page: '/p/{project}/change-sets/{id}',
    state: 'dialog',
    path: () => LIST,
    ready: dialog,
    as: drafting,
    act: async page => {
      await open(page);
      await click('Apply later')(page);
    },
  },
  {
    name: 'change set, a name of blanks',
    page: '/p/{project}/change-sets/{id}',
    state: 'refused',
    path: () => LIST,
    ready: page => dialog(page).getByText(/name/i).last(),
    as: drafting,
    act: async page => {
      await open(page);
      await click('Rename')(page);
      await dialog(page).getByRole('textbox', { name: 'Name' }).fill(' ');
      await dialog(page).getByRole('button', { name: 'Save' }).click();
      await dialog(page).locator('[aria-invalid="true"]').waitFor();
    },
    statuses: [400],
  },
  {
    name: 'change set, not there',
    page: '/p/{project}/change-sets/{id}',
    state: 'missing',
    path: () => `${LIST}/01890000-0000-7000-8000-000000000000`,
    ready: heading(/.+/),
    as: newcomer,
    statuses: [404],
  },
];
