import { backdate } from '../backdate';
import { Organization } from '../organization';
import { click, DEFAULT_PROJECT, dialog, heading, newcomer, project, type Scene } from './scene';

const INSIGHTS = '/p/{project}/insights';

export const insightsScenes: Scene[] = [
  {
    name: 'insights',
    page: INSIGHTS,
    state: 'loaded',
    path: of => `${project(of)}/insights`,
    ready: page => page.getByRole('application', { name: /Evaluations by environment/ }),
    act: async page => {
      await page.getByText('Show as a table').click();
    },
  },
  {
    name: 'insights, one flag',
    page: INSIGHTS,
    state: 'loaded',
    path: of => `${project(of)}/insights?flag=button-colour&env=production&by=variant&range=hour`,
    ready: heading('Share of each variant'),
  },
  {
    name: 'insights, nothing yet',
    page: INSIGHTS,
    state: 'empty',
    path: of => `${project(of)}/insights?range=year`,
    ready: heading('No evaluations yet'),
    as: newcomer,
  },
  {
    name: 'insights, nothing in the range',
    page: INSIGHTS,
    state: 'noMatch',
    path: of => `${project(of)}/insights?env=staging`,
    ready: heading('No evaluations in this range'),
  },
  {
    name: 'insights, a viewer',
    page: INSIGHTS,
    state: 'forbidden',
    path: of => `${project(of)}/insights`,
    ready: page => page.getByText('Your role may not see metrics'),
    as: of => of.viewer,
  },
  {
    name: 'unknown flags',
    page: INSIGHTS,
    state: 'loaded',
    path: of => `${project(of)}/insights?tab=unknown`,
    ready: page => page.getByRole('table', { name: 'Unknown flags' }),
  },
  {
    name: 'unknown flags, none',
    page: INSIGHTS,
    state: 'empty',
    path: of => `${project(of)}/insights?tab=unknown&env=staging`,
    ready: heading('No unknown flags'),
  },
  {
    name: 'unknown flag, created',
    page: INSIGHTS,
    state: 'dialog',
    path: of => `${project(of)}/insights?tab=unknown`,
    ready: dialog,
    act: click('Create flag old-banner'),
  },
  {
    name: 'unknown flag, a name refused',
    page: INSIGHTS,
    state: 'refused',
    path: of => `${project(of)}/insights?tab=unknown`,
    ready: page => page.getByRole('textbox', { name: 'Name', description: /name/i }),
    act: async page => {
      await page.getByRole('button', { name: 'Create flag old-banner' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('');
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Create/ })
        .click();
    },
    statuses: [400],
  },
  {
    name: 'stale flags',
    page: INSIGHTS,
    state: 'loaded',
    path: of => `${project(of)}/insights?tab=stale`,
    ready: page => page.getByRole('table', { name: 'Stale flags' }),
  },
  {
    name: 'stale flag, archived',
    page: INSIGHTS,
    state: 'dialog',
    path: of => `${project(of)}/insights?tab=stale`,
    ready: dialog,
    act: click('Archive spring-sale'),
  },
  {
    name: 'stale flag, changed by someone else',
    page: INSIGHTS,
    state: 'conflict',
    path: () => `${DEFAULT_PROJECT}/insights?tab=stale`,
    ready: page => page.getByText(/^Someone else changed this flag/),
    as: async () => {
      const organization = await Organization.register();
      await organization.flag('spring-sale');
      await organization.set('spring-sale', 'production', { enabled: true });
      await backdate(organization, 'spring-sale', 60);
      return organization.owner;
    },
    act: async (page, { api }) => {
      await page.getByRole('button', { name: 'Archive spring-sale' }).click();
      await page.getByRole('textbox', { name: /^Type / }).fill('spring-sale');
      const { data } = await api.get<{ data: { id: string }[] }>('/v1/projects');
      await api.put(`/v1/projects/${data[0]?.id}/flags/spring-sale`, { name: 'Summer sale' });
      await page.getByRole('dialog').getByRole('button', { name: 'Archive the flag' }).click();
    },
    statuses: [412],
  },
  {
    name: 'stale flags, none',
    page: INSIGHTS,
    state: 'empty',
    path: of => `${project(of)}/insights?tab=stale`,
    ready: heading('No stale flags'),
    as: newcomer,
  },
  {
    name: 'stale flags, none of a kind',
    page: INSIGHTS,
    state: 'noMatch',
    path: of => `${project(of)}/insights?tab=stale&reason=one_value&env=production`,
    ready: heading('No stale flags match'),
  },
  {
    name: 'impressions',
    page: INSIGHTS,
    state: 'loaded',
    path: of => `${project(of)}/insights?tab=impressions`,
    ready: page => page.getByRole('table', { name: 'Impressions' }),
  },
  {
    name: 'impressions, none',
    page: INSIGHTS,
    state: 'noMatch',
    path: of => `${project(of)}/insights?tab=impressions&env=staging`,
    ready: heading('No impressions match'),
  },
  {
    name: 'flag, insights',
    page: '/p/{project}/flags/{key}',
    state: 'loaded',
    path: of => `${project(of)}/flags/button-colour?env=production&tab=insights`,
    ready: heading('Share of each variant'),
  },
  {
    name: 'flag, insights, a viewer',
    page: '/p/{project}/flags/{key}',
    state: 'forbidden',
    path: of => `${project(of)}/flags/button-colour?env=production&tab=insights`,
    ready: page => page.getByText('Your role may not see metrics'),
    as: of => of.viewer,
  },
];
