import type { Page } from '@playwright/test';
import { Organization } from '../organization';
import { dialog, heading, newcomer, type Scene } from './scene';

/** An organization with a request that conflicts with the flag as it is; the reviewer looks at it. */
async function conflicting() {
  const organization = await Organization.register();
  await organization.flag('checkout');
  const by = await organization.invite('developer');
  const note = 'Ten times as many users, as of ticket 5.';
  const id = await organization.ask('checkout', 'production', { percentage_rollout: 2500 }, { by, note });
  await organization.set('checkout', 'production', { percentage_rollout: 5000 });
  await by.api.post(`/v1/approvals/${id}/comments`, { text: 'Needed before the weekend.' });
  return organization.owner;
}

/** The first request in the list of the person who looks. */
const open = async (page: Page) => {
  await page.getByRole('link', { name: 'checkout in production' }).click();
  await page.getByRole('heading', { name: 'Comments' }).waitFor();
};

export const approvalsScenes: Scene[] = [
  {
    name: 'approvals, none',
    page: '/approvals',
    state: 'empty',
    path: () => '/approvals',
    ready: heading('Nothing to review'),
    as: newcomer,
  },
  {
    name: 'approvals, none about a flag',
    page: '/approvals',
    state: 'noMatch',
    path: of => `/approvals?project=${of.organization.project.id}&flag=checkout`,
    ready: page => page.getByRole('button', { name: 'Show all flags' }),
  },
  {
    name: 'approvals, to review',
    page: '/approvals',
    state: 'loaded',
    path: () => '/approvals',
    ready: page => page.getByRole('link', { name: 'checkout in production' }),
    as: conflicting,
  },
  {
    name: 'approval',
    page: '/approvals/{id}',
    state: 'loaded',
    path: of => `/approvals/${of.approval}`,
    ready: heading('Comments'),
  },
  {
    name: 'approval, in conflict',
    page: '/approvals/{id}',
    state: 'conflict',
    path: () => '/approvals',
    ready: heading('The flag has changed since this request was made'),
    as: conflicting,
    act: open,
  },
  {
    name: 'approval, of one’s own',
    page: '/approvals/{id}',
    state: 'dialog',
    path: () => '/approvals?show=mine',
    ready: dialog,
    as: async () => {
      const organization = await Organization.register();
      await organization.flag('checkout');
      await organization.ask('checkout', 'production', { enabled: true });
      return organization.owner;
    },
    act: async page => {
      await open(page);
      await page.getByRole('button', { name: 'Withdraw request' }).click();
    },
  },
  {
    name: 'approval, a viewer',
    page: '/approvals/{id}',
    state: 'forbidden',
    path: () => '/approvals',
    ready: page => page.getByText('Owners and admins review requests.'),
    as: async () => {
      const organization = await Organization.register();
      await organization.flag('checkout');
      await organization.ask('checkout', 'production', { enabled: true });
      return organization.invite('viewer');
    },
    act: open,
  },
  {
    name: 'approval, a comment too long',
    page: '/approvals/{id}',
    state: 'refused',
    path: () => '/approvals',
    ready: page => page.getByText('Use at most 2,000 characters for a comment.'),
    as: conflicting,
    act: async page => {
      await open(page);
      await page.getByRole('textbox', { name: 'Comment' }).fill('x'.repeat(2_001));
      await page.getByRole('button', { name: 'Comment' }).click();
    },
    statuses: [400],
  },
  {
    name: 'approval, not there',
    page: '/approvals/{id}',
    state: 'missing',
    path: () => '/approvals/01890000-0000-7000-8000-000000000000',
    ready: heading(/.+/),
    statuses: [404],
  },
];
