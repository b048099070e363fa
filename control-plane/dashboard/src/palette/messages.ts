import { plural } from '../messages/format';

const TYPES: Record<string, string> = {
  flag: 'Flag',
  segment: 'Segment',
  environment: 'Environment',
  project: 'Project',
  member: 'Member',
};

/** The text of the palette's results, loaded with the palette. */
export const find = {
  found: () => 'Found',
  title: (key: string, name: string) => (name === '' || name === key ? key : `${key}: ${name}`),
  hint: (type: string, project: string | null) =>
    project === null ? (TYPES[type] ?? type) : `${TYPES[type] ?? type} in ${project}`,
  enable: (key: string, environment: string) => `Enable ${key} in ${environment}`,
  disable: (key: string, environment: string) => `Disable ${key} in ${environment}`,
  kill: (key: string, environment: string) => `Kill ${key} in ${environment}`,
  hintOfActions: () => 'Actions can be typed too, such as “disable checkout in staging”.',
  count: (count: number) => plural(count, 'result', 'results'),
};
