import { Organization } from '../organization';
import { click, dialog, heading, newcomer, type Scene } from './scene';

export const approvalsScenes: Scene[] = [
  {
    name: 'approvals, none',
    page: '/approvals',
    state: 'empty',
    path: () => '/approvals',
    ready: heading('Nothing waits for a review'),
    as: newcomer,
  },
  {
    name: 'approvals, a request',
    page: '/approvals',
    state: 'dialog',
    path: () => '/approvals',
    ready: dialog,
    as: async () => {
      const organization = await Organization.register();
      await organization.flag('checkout');
      await organization.ask('checkout', 'production', { enabled: true });
      return organization.owner;
    },
    act: click(/^Show the request/),
  },
];
