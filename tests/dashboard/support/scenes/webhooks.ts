import type { Page } from '@playwright/test';
import { Organization, type Person } from '../organization';
import { click, dialog, heading, newcomer, type Scene } from './scene';

async function withWebhook(): Promise<Person> {
  const { owner } = await (await Organization.register()).proven();
  await owner.api.post('/v1/webhooks', { name: 'Chat', url: 'http://127.0.0.1:9/hook', events: ['*'] });
  return owner;
}

const open = async (page: Page) => {
  await page.getByRole('link', { name: 'Chat' }).click();
  await page.getByRole('heading', { name: 'Chat', level: 1 }).waitFor();
};

export const webhooksScenes: Scene[] = [
  {
    name: 'webhooks',
    page: '/webhooks',
    state: 'loaded',
    path: () => '/webhooks',
    ready: page => page.getByRole('table', { name: 'Webhooks of this organization' }),
  },
  {
    name: 'webhooks, none',
    page: '/webhooks',
    state: 'empty',
    path: () => '/webhooks',
    ready: heading('No webhooks yet'),
    as: newcomer,
  },
  {
    name: 'webhooks, a new one',
    page: '/webhooks',
    state: 'dialog',
    path: () => '/webhooks',
    ready: dialog,
    act: async page => {
      await page.getByRole('button', { name: 'Create a webhook' }).click();
      await page.getByText('Selected events').click();
    },
  },
  {
    name: 'webhooks, a refused address',
    page: '/webhooks',
    state: 'refused',
    path: () => '/webhooks',
    ready: page => page.getByText(/must not/).first(),
    act: async page => {
      await page.getByRole('button', { name: 'Create a webhook' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('Chat');
      await page.getByRole('textbox', { name: 'URL' }).fill('http://10.0.0.1/');
      await page.getByRole('dialog').getByRole('button', { name: 'Create a webhook' }).click();
    },
    statuses: [400],
  },
  {
    name: 'webhooks, as many as the plan has',
    page: '/webhooks',
    state: 'plan',
    path: () => '/webhooks',
    ready: page => page.getByRole('dialog').getByRole('alert'),
    as: async () => {
      const owner = await withWebhook();
      const body = { name: 'Another', url: 'http://127.0.0.1:9/hook', events: ['*'] };
      for (let made = 1; made < 10; made += 1) await owner.api.post('/v1/webhooks', body);
      return owner;
    },
    act: async page => {
      await page.getByRole('button', { name: 'Create a webhook' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('The eleventh');
      await page.getByRole('textbox', { name: 'URL' }).fill('http://127.0.0.1:9/hook');
      await page.getByRole('dialog').getByRole('button', { name: 'Create a webhook' }).click();
    },
    statuses: [402],
  },
  {
    name: 'webhooks, a viewer',
    page: '/webhooks',
    state: 'forbidden',
    path: () => '/webhooks',
    ready: heading('You may not open this'),
    as: of => of.viewer,
    statuses: [403],
  },
  {
    name: 'webhook',
    page: '/webhooks/{id}',
    state: 'loaded',
    path: of => `/webhooks/${of.webhook}`,
    ready: heading('Verify the signature'),
  },
  {
    name: 'webhook, nothing sent',
    page: '/webhooks/{id}',
    state: 'empty',
    path: () => '/webhooks',
    ready: page => page.getByText(/^Nothing was sent yet/),
    as: withWebhook,
    act: open,
  },
  {
    name: 'webhook, a refused address',
    page: '/webhooks/{id}',
    state: 'refused',
    path: of => `/webhooks/${of.webhook}`,
    ready: page => page.getByText(/must not/).first(),
    act: async page => {
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByRole('textbox', { name: 'URL' }).fill('http://10.0.0.1/');
      await page.getByRole('button', { name: 'Save' }).click();
    },
    statuses: [400],
  },
  {
    name: 'webhook, changed by someone else',
    page: '/webhooks/{id}',
    state: 'conflict',
    path: () => '/webhooks',
    ready: page => page.getByText(/kept and filled in below|Someone else saved changes/).first(),
    as: withWebhook,
    act: async (page, { api }) => {
      await open(page);
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('Mine');
      await api.put(`/v1/webhooks/${page.url().split('/').at(-1)}`, { name: 'Theirs' });
      await page.getByRole('button', { name: 'Save' }).click();
    },
    statuses: [412],
  },
  {
    name: 'webhook, a delivery',
    page: '/webhooks/{id}',
    state: 'dialog',
    path: of => `/webhooks/${of.webhook}`,
    ready: page => page.getByRole('dialog').getByRole('region', { name: 'Body sent' }),
    act: click(/^Details of webhook\.test/),
  },
  {
    name: 'webhook, not there',
    page: '/webhooks/{id}',
    state: 'missing',
    path: of => `/webhooks/${of.organization.id}`,
    ready: heading('Nothing here'),
    statuses: [404],
  },
  {
    name: 'webhook, a viewer',
    page: '/webhooks/{id}',
    state: 'forbidden',
    path: of => `/webhooks/${of.webhook}`,
    ready: heading('You may not open this'),
    as: of => of.viewer,
    statuses: [403],
  },
];
