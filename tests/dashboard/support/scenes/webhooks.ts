import { click, dialog, heading, newcomer, type Scene } from './scene';

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
