import type { Person } from '../organization';
import { click, DEFAULT_PROJECT, dialog, heading, newcomer, project, type Scene } from './scene';

const SEGMENTS = '/p/{project}/segments';
const SEGMENT = '/p/{project}/segments/{key}';

/** Of an organization with a segment that nobody is in yet. */
async function withSegment() {
  const owner = await newcomer();
  await owner.api.post(await pathOf(owner), { key: 'beta', name: 'Beta', rules: [] });
  return owner;
}

async function pathOf({ api }: Person): Promise<string> {
  const { data } = await api.get<{ data: { id: string }[] }>('/v1/projects');
  return `/v1/projects/${data[0]?.id}/segments`;
}

export const segmentsScenes: Scene[] = [
  {
    name: 'segments',
    page: SEGMENTS,
    state: 'loaded',
    path: of => `${project(of)}/segments`,
    ready: page => page.getByRole('table'),
  },
  {
    name: 'segments, none',
    page: SEGMENTS,
    state: 'empty',
    path: () => '/p/default/segments',
    ready: heading('No segments yet'),
    as: newcomer,
  },
  {
    name: 'segments, a new one',
    page: SEGMENTS,
    state: 'dialog',
    path: of => `${project(of)}/segments`,
    ready: dialog,
    act: click('Create a segment'),
  },
  {
    name: 'segments, none match',
    page: SEGMENTS,
    state: 'noMatch',
    path: of => `${project(of)}/segments?q=nothing`,
    ready: heading('No segment matches'),
  },
  {
    name: 'segments, a key refused',
    page: SEGMENTS,
    state: 'refused',
    path: of => `${project(of)}/segments`,
    ready: page => page.getByRole('textbox', { name: 'Key', description: /must/ }),
    act: async page => {
      await page.getByRole('button', { name: 'Create a segment' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('New');
      await page.getByRole('textbox', { name: 'Key' }).fill('not a key');
      await page.getByRole('dialog').getByRole('button', { name: 'Create a segment' }).click();
    },
    statuses: [400],
  },
  {
    name: 'segments, a key that is taken',
    page: SEGMENTS,
    state: 'conflict',
    path: of => `${project(of)}/segments`,
    ready: page => page.getByRole('textbox', { name: 'Key', description: /already/ }),
    act: async page => {
      await page.getByRole('button', { name: 'Create a segment' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('Beta testers');
      await page.getByRole('dialog').getByRole('button', { name: 'Create a segment' }).click();
    },
    statuses: [409],
  },
  {
    name: 'segments, a viewer',
    page: SEGMENTS,
    state: 'forbidden',
    path: of => `${project(of)}/segments`,
    ready: page => page.getByText(/^Your role, Viewer, may not/),
    as: of => of.viewer,
  },
  {
    name: 'segment',
    page: SEGMENT,
    state: 'loaded',
    path: of => `${project(of)}/segments/beta-testers`,
    ready: heading('Used by'),
  },
  {
    name: 'segment, without conditions',
    page: SEGMENT,
    state: 'empty',
    path: () => `${DEFAULT_PROJECT}/segments/beta`,
    ready: page => page.getByText('No flag uses it.'),
    as: withSegment,
  },
  {
    name: 'segment, deleted',
    page: SEGMENT,
    state: 'dialog',
    path: of => `${project(of)}/segments/beta-testers`,
    ready: dialog,
    act: click('Delete the segment'),
  },
  {
    name: 'segment, a condition refused',
    page: SEGMENT,
    state: 'refused',
    path: () => `${DEFAULT_PROJECT}/segments/beta`,
    ready: page => page.getByText(/^Fix 1 field/),
    as: withSegment,
    act: async page => {
      await page.getByRole('button', { name: 'Add a condition' }).click();
      await page.getByRole('combobox', { name: 'Attribute' }).fill('plan');
      await page.getByRole('button', { name: /^Save/ }).click();
    },
  },
  {
    name: 'segment, changed by someone else',
    page: SEGMENT,
    state: 'conflict',
    path: () => `${DEFAULT_PROJECT}/segments/beta`,
    ready: page => page.getByRole('dialog', { name: 'Someone else saved changes' }),
    as: withSegment,
    act: async (page, person) => {
      await page.getByRole('textbox', { name: 'Name' }).first().fill('Mine');
      await person.api.put(`${await pathOf(person)}/beta`, { name: 'Theirs' });
      await page.getByRole('button', { name: /^Save/ }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    },
    statuses: [412],
  },
  {
    name: 'segment, a viewer',
    page: SEGMENT,
    state: 'forbidden',
    path: of => `${project(of)}/segments/beta-testers`,
    ready: page => page.getByText(/^Your role, Viewer, may not/),
    as: of => of.viewer,
  },
  {
    name: 'segment, not there',
    page: SEGMENT,
    state: 'missing',
    path: of => `${project(of)}/segments/nowhere`,
    ready: heading(/nowhere/),
    statuses: [404],
  },
];
