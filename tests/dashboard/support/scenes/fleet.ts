import { Organization } from '../organization';
import { click, dialog, heading, newcomer, type Scene } from './scene';

export const fleetScenes: Scene[] = [
  {
    name: 'fleet',
    page: '/fleet',
    state: 'loaded',
    path: ({ organization }) => `/fleet?env=${organization.environment('production').id}`,
    ready: page => page.getByRole('heading', { name: 'How changes reached the edges' }),
  },
  {
    name: 'fleet, a filter that matches nothing',
    page: '/fleet',
    state: 'noMatch',
    path: () => '/fleet?q=nowhere',
    ready: page => page.getByText('No edge matches.'),
  },
  {
    name: 'fleet, before any change',
    page: '/fleet',
    state: 'empty',
    path: () => '/fleet',
    ready: heading('Edges'),
    as: newcomer,
  },
  {
    name: 'fleet, how to add an edge',
    page: '/fleet',
    state: 'dialog',
    path: () => '/fleet',
    ready: dialog,
    act: click('Add an edge'),
  },
  {
    name: 'fleet, for a developer',
    page: '/fleet',
    state: 'forbidden',
    path: () => '/fleet',
    ready: heading('You may not open this'),
    as: async () => (await Organization.register()).invite('developer'),
    statuses: [403],
  },
  {
    name: 'an edge',
    page: '/fleet/{edge}',
    state: 'loaded',
    path: async ({ organization }) => {
      const { data } = await organization.owner.api.get<{ data: { name: string }[] }>('/v1/edges');
      return `/fleet/${data.find(({ name }) => name.startsWith('built-in-'))?.name}`;
    },
    ready: heading('What it holds'),
  },
  {
    name: 'an edge that is not there',
    page: '/fleet/{edge}',
    state: 'missing',
    path: () => '/fleet/nowhere-1',
    ready: heading('No edge named nowhere-1'),
  },
];
