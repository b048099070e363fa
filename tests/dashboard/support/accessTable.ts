/** The pages with the operation that each reads first, and their controls with the operation that each calls. */
import type { Page } from '@playwright/test';
import type { AccessRow, Staffed } from './access';
import { heading, project } from './scenes/scene';

const PROJECT = '/v1/projects/{projectID}';
const FLAG = `${PROJECT}/flags/{flagKey}` as const;
const ACCOUNT = '/v1/service-accounts/{serviceAccountID}';
const SIGN_IN = '/v1/organization/sign-in';
const STATE = `${FLAG}/environments/{envID}` as const;
const button = (name: string | RegExp) => (page: Page) =>
  page.getByRole('main').getByRole('button', { name }).first();
const toggle = (name: string) => (page: Page) => page.getByRole('switch', { name, exact: true });
const box = (name: string) => (page: Page) => page.getByRole('textbox', { name, exact: true });
const cell = (text: string) => (page: Page) =>
  page.getByRole('cell', { name: text }).or(page.getByText(text)).first();
const at = (path: string) => (staffed: Staffed) => `${project(staffed.of)}${path}`;

export const FORBIDDEN = heading('You may not open this');

export const ACCESS: readonly AccessRow[] = [
  {
    page: '/p/{project}/flags',
    path: at('/flags'),
    reads: `get ${PROJECT}/overview`,
    ready: page => page.getByRole('rowheader').first(),
    link: 'Flags',
    controls: [
      [`post ${PROJECT}/flags`, button('Create a flag')],
      [`put ${STATE}`, toggle('checkout in Staging')],
      [`post ${PROJECT}/bulk`, page => page.getByRole('checkbox', { name: 'Select checkout' })],
    ],
  },
  {
    page: '/p/{project}/flags/{key}',
    path: at('/flags/checkout?env=production'),
    reads: `get ${FLAG}`,
    ready: heading('Rules'),
    controls: [
      [`put ${STATE}`, toggle('Production')],
      [`put ${STATE}`, button('Add a rule')],
      [`post ${FLAG}/kill`, button('Kill in Production')],
    ],
  },
  {
    page: '/p/{project}/flags/{key}',
    path: at('/flags/checkout?env=production&tab=settings'),
    reads: `get ${FLAG}`,
    ready: heading('Dependencies'),
    controls: [
      [`put ${FLAG}`, box('Name')],
      [`post ${FLAG}/promote`, button('Review changes')],
      [`post ${FLAG}/archive`, button('Archive the flag')],
    ],
  },
  {
    page: '/p/{project}/flags/{key}',
    path: at('/flags/checkout?env=production&tab=history'),
    reads: `get ${FLAG}/history`,
    ready: page => page.getByRole('list', { name: 'Versions, the newest first' }),
    act: async page =>
      page
        .getByRole('button', { name: /^Compare or restore version/ })
        .first()
        .click(),
    controls: [[`post ${FLAG}/rollback`, button(/^Restore version/)]],
  },
  {
    page: '/p/{project}/change-sets',
    path: at('/change-sets'),
    reads: `get ${PROJECT}/change-sets`,
    ready: heading('Change sets'),
    link: 'Change sets',
  },
  {
    page: '/p/{project}/change-sets/{id}',
    path: staffed => at(`/change-sets/${staffed.changeSet}`)(staffed),
    reads: `get ${PROJECT}/change-sets/{changeSetID}`,
    ready: heading('What it changes'),
    controls: [
      [`post ${PROJECT}/change-sets/{changeSetID}/request`, button('Request approval')],
      [`post ${PROJECT}/change-sets/{changeSetID}/apply`, button('Apply now')],
      [`put ${PROJECT}/change-sets/{changeSetID}`, button('Rename')],
      [`delete ${PROJECT}/change-sets/{changeSetID}`, button('Delete')],
      [`post ${PROJECT}/environments/{envID}/what-if`, button('What would this change?')],
    ],
  },
  {
    page: '/p/{project}/compare',
    path: at('/compare?from=production&to=dev'),
    reads: `get ${PROJECT}/compare`,
    ready: page => page.getByRole('list', { name: 'Flags that differ' }),
    link: 'Compare',
    controls: [[`post ${PROJECT}/bulk`, button('Promote…')]],
  },
  {
    page: '/p/{project}/environments',
    path: at('/environments'),
    reads: `get ${PROJECT}/environments`,
    ready: button('Edit Staging'),
    link: 'Environments',
    controls: [
      [`post ${PROJECT}/environments`, button('Create an environment')],
      [`put ${PROJECT}/environments/{envID}`, button('Edit Staging')],
      [`delete ${PROJECT}/environments/{envID}`, button('Delete Staging')],
      [`post ${PROJECT}/grants`, button('Give a grant')],
    ],
  },
  {
    page: '/p/{project}/environments',
    path: at('/environments?sampling=staging'),
    reads: `get ${PROJECT}/environments/{envID}/sampling`,
    ready: heading('Sampling of Staging'),
    act: async () => {},
    controls: [
      [`put ${PROJECT}/environments/{envID}/sampling`, page => page.getByRole('button', { name: 'Save' })],
    ],
  },
  {
    page: '/p/{project}/environments/{env}/keys',
    path: at('/environments/production/keys'),
    reads: 'get /v1/environments/{envID}/api-keys',
    ready: page => page.getByRole('table', { name: 'API keys in use' }),
    controls: [
      ['post /v1/environments/{envID}/api-keys', button('Create an API key')],
      ['post /v1/api-keys/{keyID}/rotate', button(/^Rotate test/)],
      ['delete /v1/api-keys/{keyID}', button(/^Revoke test/)],
    ],
  },
  {
    page: '/p/{project}/segments',
    path: at('/segments'),
    reads: `get ${PROJECT}/segments`,
    ready: page => page.getByRole('link', { name: 'Beta testers' }),
    link: 'Segments',
    controls: [[`post ${PROJECT}/segments`, button('Create a segment')]],
  },
  {
    page: '/p/{project}/segments/{key}',
    path: at('/segments/beta-testers'),
    reads: `get ${PROJECT}/segments/{segmentKey}`,
    ready: heading('Used by'),
    controls: [
      [`put ${PROJECT}/segments/{segmentKey}`, box('Name')],
      [`put ${PROJECT}/segments/{segmentKey}`, button('Add a condition')],
      [`delete ${PROJECT}/segments/{segmentKey}`, button('Delete the segment')],
    ],
  },
  {
    page: '/p/{project}/settings',
    path: at('/settings'),
    reads: null,
    ready: heading('Project settings'),
    link: 'Project settings',
    controls: [
      [`put ${PROJECT}`, box('Name')],
      [`delete ${PROJECT}`, button('Delete the project')],
    ],
  },
  {
    page: '/p/{project}/settings',
    path: at('/settings'),
    reads: null,
    ready: heading('Project settings'),
    act: async page => {
      await page.getByRole('button', { name: /^Project: / }).click();
      await page.getByRole('menuitem', { name: 'Create a project' }).click();
      await page.getByRole('dialog').getByRole('textbox', { name: 'Slug' }).waitFor();
    },
    controls: [
      [
        'post /v1/projects',
        page => page.getByRole('dialog').getByRole('button', { name: 'Create a project' }),
      ],
    ],
  },
  {
    page: '/p/{project}/insights',
    path: at('/insights'),
    reads: 'get /v1/metrics/series',
    ready: page => page.getByRole('application').first(),
    instead: page => page.getByText('Your role may not see metrics'),
    link: 'Insights',
  },
  {
    page: '/p/{project}/insights',
    path: at('/insights?tab=unknown'),
    reads: 'get /v1/metrics/unknown-flags',
    ready: page => page.getByRole('table', { name: 'Unknown flags' }),
    instead: page => page.getByText('Your role may not see metrics'),
    controls: [[`post ${PROJECT}/flags`, button('Create flag old-banner')]],
  },
  {
    page: '/p/{project}/insights',
    path: at('/insights?tab=stale'),
    reads: `get ${PROJECT}/stale-flags`,
    ready: page => page.getByRole('table', { name: 'Stale flags' }),
    controls: [
      [`put ${FLAG}`, button('Mark permanent: spring-sale')],
      [`post ${FLAG}/archive`, button('Archive spring-sale')],
    ],
  },
  {
    page: '/onboarding',
    path: () => '/onboarding',
    reads: `get ${PROJECT}/environments`,
    ready: heading('Get started'),
    controls: [
      [`post ${PROJECT}/flags`, button('Create new-checkout')],
      ['post /v1/environments/{envID}/api-keys', button('Create a key')],
    ],
  },
  {
    page: '/approvals',
    path: () => '/approvals',
    reads: 'get /v1/approvals',
    ready: page => page.getByRole('link', { name: / in (dev|staging)$/ }).first(),
    link: 'Approvals',
  },
  {
    page: '/approvals/{id}',
    path: ({ request }) => `/approvals/${request}`,
    reads: 'get /v1/approvals/{approvalID}',
    ready: heading('Comments'),
    controls: [
      ['post /v1/approvals/{approvalID}/review', button('Approve')],
      ['post /v1/approvals/{approvalID}/review', button('Reject')],
      ['post /v1/approvals/{approvalID}/comments', box('Comment')],
    ],
  },
  {
    page: '/audit',
    path: () => '/audit',
    reads: 'get /v1/audit',
    ready: page => page.getByRole('article').first(),
    link: 'Audit log',
  },
  {
    page: '/fleet',
    path: () => '/fleet',
    reads: 'get /v1/edges',
    ready: cell('Built in'),
    link: 'Fleet',
    controls: [['post /v1/edges', button('Add an edge')]],
  },
  {
    page: '/fleet/{edge}',
    path: () => '/fleet/nowhere-1',
    reads: 'get /v1/edges',
    ready: heading('No edge named nowhere-1'),
  },
  {
    page: '/webhooks',
    path: () => '/webhooks',
    reads: 'get /v1/webhooks',
    ready: page => page.getByRole('table', { name: 'Webhooks of this organization' }),
    link: 'Webhooks',
    controls: [['post /v1/webhooks', button('Create a webhook')]],
  },
  {
    page: '/webhooks/{id}',
    path: ({ of }) => `/webhooks/${of.webhook}`,
    reads: 'get /v1/webhooks/{webhookID}',
    ready: heading('Verify the signature'),
    controls: [
      ['put /v1/webhooks/{webhookID}', button('Edit')],
      ['delete /v1/webhooks/{webhookID}', button('Delete')],
      ['post /v1/webhooks/{webhookID}/test', button('Send a test')],
    ],
  },
  {
    page: '/migration',
    path: () => '/migration',
    reads: 'get /v1/migration',
    ready: page => page.getByRole('table', { name: 'Imports of this organization' }),
    link: 'Import',
    controls: [['post /v1/migration/execute', button('Start an import')]],
  },
  {
    page: '/migration/{id}',
    path: ({ of }) => `/migration/${of.migration}`,
    reads: 'get /v1/migration/status/{id}',
    ready: page => page.getByRole('radio', { name: /^All / }),
  },
  {
    page: '/team',
    path: () => '/team',
    reads: 'get /v1/team',
    ready: page => page.getByText('Max developer').first(),
    link: 'Team',
    controls: [
      ['post /v1/members/invite', button('Invite a member')],
      ['put /v1/members/{memberID}', button('Actions for Max developer')],
      ['get /v1/roles', page => page.getByRole('tab', { name: 'Custom roles' })],
      ['get /v1/service-accounts', page => page.getByRole('tab', { name: 'Service accounts' })],
    ],
  },
  {
    page: '/team',
    path: () => '/team?tab=service-accounts',
    reads: 'get /v1/team',
    ready: heading('Team'),
    controls: [['post /v1/service-accounts', button('Create a service account')]],
  },
  {
    page: '/team',
    path: ({ account }) => `/team?tab=service-accounts&account=${account}`,
    reads: 'get /v1/team',
    ready: heading('Team'),
    controls: [
      [`patch ${ACCOUNT}`, button('Rename')],
      ['put /v1/members/{memberID}', button('Change role')],
      [`delete ${ACCOUNT}`, button('Delete')],
      [`post ${ACCOUNT}/tokens`, button('Create a token')],
      [`post ${ACCOUNT}/tokens/{accessTokenID}/rotate`, button('Rotate pipeline')],
      [`delete ${ACCOUNT}/tokens/{accessTokenID}`, button('Revoke pipeline')],
    ],
  },
  {
    page: '/team',
    path: () => '/team?tab=environments',
    reads: 'get /v1/team',
    ready: page => page.getByRole('checkbox', { name: /Max viewer/ }).first(),
    controls: [
      [
        'put /v1/members/{memberID}/permissions',
        page => page.getByRole('checkbox', { name: /Max developer/ }).first(),
      ],
    ],
  },
  {
    page: '/team/{member}',
    path: ({ member }) => `/team/${member}`,
    reads: 'get /v1/team',
    ready: heading('What they may do'),
    controls: [
      ['put /v1/members/{memberID}', button('Change role')],
      ['delete /v1/members/{memberID}/sessions', button('End all sessions')],
      ['delete /v1/members/{memberID}', button('Remove')],
    ],
  },
  {
    page: '/settings/organization',
    path: () => '/settings/organization',
    reads: null,
    ready: heading('General'),
    link: 'Organization',
    controls: [
      ['patch /v1/organization', box('Name')],
      ['delete /v1/organization', button('Delete the organization')],
    ],
  },
  {
    page: '/settings/billing',
    path: () => '/settings/billing',
    reads: 'get /v1/billing/subscription',
    ready: heading('Usage'),
    link: 'Billing',
  },
  {
    page: '/settings/scim',
    path: () => '/settings/scim',
    reads: 'get /v1/scim/tokens',
    ready: heading('No identity provider is connected'),
    link: 'SCIM',
    controls: [['post /v1/scim/tokens', button('Create a token')]],
  },
  {
    page: '/settings/sign-in',
    path: () => '/settings/sign-in',
    reads: `get ${SIGN_IN}`,
    ready: heading('Domains'),
    link: 'Sign-in',
    controls: [
      [`post ${SIGN_IN}/providers`, button('Add a provider')],
      [`post ${SIGN_IN}/domains`, button('Add a domain')],
      [`patch ${SIGN_IN}`, toggle('Members sign in only by a provider')],
    ],
  },
  {
    page: '/settings/account',
    path: () => '/settings/account',
    reads: null,
    ready: heading('Account'),
    link: 'Account',
    controls: [
      ['patch /v1/me', box('Name')],
      ['post /v1/auth/change-password', button('Change the password')],
    ],
  },
  {
    page: '/settings/security',
    path: () => '/settings/security',
    reads: null,
    ready: page => page.getByRole('table', { name: 'Sessions' }),
    link: 'Security',
    controls: [
      ['post /v1/auth/mfa/enable', button('Set up two-factor authentication')],
      ['post /v1/me/tokens', button('Create a token')],
    ],
  },
];
