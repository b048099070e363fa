import { list, plural } from '../../../messages/format';
import { roleName } from '../../../parts/messages';

const KINDS: Record<string, string> = { can_toggle: 'Switch', can_edit_rules: 'Edit rules' };

export const matrix = {
  lead: () =>
    'What developers may do with flags in each environment. Switch covers schedules and the kill switch; edit rules covers rollout, variants and the value.',
  project: () => 'Project',
  table: () => 'Permissions in environments',
  member: () => 'Member',
  kind: (kind: string) => KINDS[kind] ?? kind,
  check: (member: string, environment: string, kind: string) =>
    `${member}, ${environment}: ${(KINDS[kind] ?? kind).toLowerCase()}`,
  manager: (role: string) => `${roleName(role)}: may do everything in every environment.`,
  viewer: () => 'Viewer: changes nothing in any environment.',
  custom: () => 'The custom role leaves out what is greyed.',
  changed: () => 'Changed',
  pending: (count: number) => `${plural(count, 'member has', 'members have')} unsaved changes.`,
  discard: () => 'Discard',
  save: () => 'Save',
  saved: (names: readonly string[]) =>
    names.length > 3
      ? `Saved for ${plural(names.length, 'member', 'members')}.`
      : `Saved for ${list(names)}.`,
  refused: (name: string, why: string) => `Not saved for ${name}: ${why}`,
  unsaved: (count: number) => `the permissions of ${plural(count, 'member', 'members')}`,
  noProject: () => 'No project',
  noProjectText: () => 'Create a project first. Permissions are given for its environments.',
  noEnvironment: () => 'This project has no environment',
  noEnvironmentText: () => 'Permissions are given for environments. Create one first.',
  toEnvironments: () => 'Go to the environments',
};
