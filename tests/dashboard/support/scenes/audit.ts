import { Organization } from '../organization';
import { click, heading, type Scene } from './scene';

export const auditScenes: Scene[] = [
  {
    name: 'audit',
    page: '/audit',
    state: 'loaded',
    path: () => '/audit',
    ready: page => page.getByRole('article').first(),
  },
  {
    name: 'audit, an open entry',
    page: '/audit',
    state: 'loaded',
    path: of => `/audit?q=checkout&project_id=${of.organization.project.id}`,
    ready: page => page.getByRole('region', { name: 'After' }).first(),
    act: click(/^Details/),
  },
  {
    name: 'audit, a custom time',
    page: '/audit',
    state: 'noMatch',
    path: () => '/audit?to=2020-01-01T00:00:00Z',
    ready: heading('No entry matches'),
  },
  {
    name: 'audit, too many words',
    page: '/audit',
    state: 'refused',
    path: () => '/audit?q=one two three four five six',
    ready: page => page.getByText('Use at most 5 words and 200 characters.'),
    statuses: [400],
  },
  {
    name: 'audit, without the permission',
    page: '/audit',
    state: 'forbidden',
    path: () => '/audit',
    ready: page => page.getByRole('main').getByRole('heading', { level: 1 }),
    statuses: [403],
    as: async () => {
      const organization = await Organization.register();
      await organization.setPlan('enterprise');
      const viewer = await organization.invite('viewer');
      const { id } = await organization.owner.api.post<{ id: string }>('/v1/roles', {
        name: 'Flags only',
        permissions: ['flags.read', 'projects.read', 'environments.read'],
      });
      const { data } = await organization.owner.api.get<{ data: { id: string; email: string }[] }>(
        '/v1/members',
      );
      const member = data.find(({ email }) => email === viewer.email);
      await organization.owner.api.put(`/v1/members/${member?.id}`, { custom_role_id: id });
      return viewer;
    },
  },
];
