import { click, dialog, heading, newcomer, project, type Scene } from './scene';

export const segmentsScenes: Scene[] = [
  {
    name: 'segments',
    page: '/p/{project}/segments',
    state: 'loaded',
    path: of => `${project(of)}/segments`,
    ready: page => page.getByRole('table'),
  },
  {
    name: 'segments, none',
    page: '/p/{project}/segments',
    state: 'empty',
    path: () => '/p/default/segments',
    ready: heading('No segments yet'),
    as: newcomer,
  },
  {
    name: 'segments, a new one',
    page: '/p/{project}/segments',
    state: 'dialog',
    path: of => `${project(of)}/segments`,
    ready: dialog,
    act: click('Create a segment'),
  },
  {
    name: 'segment',
    page: '/p/{project}/segments/{key}',
    state: 'loaded',
    path: of => `${project(of)}/segments/beta-testers`,
    ready: heading('Used by'),
  },
  {
    name: 'segment, not there',
    page: '/p/{project}/segments/{key}',
    state: 'missing',
    path: of => `${project(of)}/segments/nowhere`,
    ready: heading(/nowhere/),
    statuses: [404],
  },
];
