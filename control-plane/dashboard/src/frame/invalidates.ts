import type { Change } from '../api/events';

/** The queries of a project that a change in it makes stale, by the first part of their keys. */
const OF_PROJECT: Record<string, string[]> = {
  flag: ['overview', 'flag', 'segment-uses', 'explain', 'approval-diff', 'change-sets', 'grants'],
  segment: ['segments', 'explain', 'change-sets'],
  environment: ['environments', 'overview', 'change-sets'],
  change_set: ['change-sets'],
  grant: ['grants'],
};

/** The keys of the queries that a change makes stale. */
export function invalidates(change: Change): string[][] {
  switch (change.resource_type) {
    case 'environment':
      return [...ofProject(change), ['usage']];
    case 'api_key':
      return [change.env_id === null ? ['api-keys'] : ['api-keys', change.env_id]];
    case 'project':
    case 'organization':
      return [['me'], ['usage']];
    case 'role':
      return [['me'], ['roles']];
    case 'member':
      return [['me'], ['granters'], ['team'], ['usage']];
    case 'scim':
      return [['scim-tokens'], ['team']];
    case 'sign_in':
      return [['sign-in'], ['team']];
    case 'billing':
      return [['subscription'], ['usage'], ['me']];
    case 'webhook':
      return [['webhooks']];
    case 'migration':
      return [['migrations']];
    case 'approval':
      return [['overview'], ['approvals']];
    default:
      return ofProject(change);
  }
}

function ofProject({ resource_type, project_id }: Change): string[][] {
  const queries = OF_PROJECT[resource_type] ?? [];
  return queries.map(query => (project_id === null ? [query] : [query, project_id]));
}
