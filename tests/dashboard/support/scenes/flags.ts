import { click, dialog, heading, newcomer, project, type Scene } from './scene';

export const flagsScenes: Scene[] = [
  {
    name: 'flags',
    page: '/p/{project}/flags',
    state: 'loaded',
    path: of => `${project(of)}/flags`,
    ready: page => page.getByRole('switch').first(),
  },
  {
    name: 'flags, a viewer',
    page: '/p/{project}/flags',
    state: 'forbidden',
    path: of => `${project(of)}/flags`,
    ready: page => page.getByRole('rowheader').first(),
    as: of => of.viewer,
  },
  {
    name: 'flags, none',
    page: '/p/{project}/flags',
    state: 'empty',
    path: () => '/',
    ready: heading('No flags yet'),
    as: newcomer,
  },
  {
    name: 'flags, none match',
    page: '/p/{project}/flags',
    state: 'noMatch',
    path: of => `${project(of)}/flags?q=nothing`,
    ready: heading('No flag matches'),
  },
  {
    name: 'flags, a new one',
    page: '/p/{project}/flags',
    state: 'dialog',
    path: of => `${project(of)}/flags`,
    ready: dialog,
    act: click('Create a flag'),
  },
  {
    name: 'flags, archived',
    page: '/p/{project}/flags',
    state: 'loaded',
    path: of => `${project(of)}/flags?archived=true`,
    ready: heading('Archived flags'),
  },
];
