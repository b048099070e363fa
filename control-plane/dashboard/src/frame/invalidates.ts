import type { Change } from '../api/events';

/** The keys of the queries that a change makes stale. */
export function invalidates(change: Change): string[][] {
  const project = change.project_id;
  switch (change.resource_type) {
    case 'flag':
      return project === null
        ? [['overview'], ['flag'], ['segment-uses']]
        : [
            ['overview', project],
            ['flag', project],
            ['segment-uses', project],
          ];
    case 'segment':
      return project === null ? [['segments']] : [['segments', project]];
    case 'environment':
      return project === null
        ? [['environments'], ['overview'], ['usage']]
        : [['environments', project], ['overview', project], ['usage']];
    case 'api_key':
      return [change.env_id === null ? ['api-keys'] : ['api-keys', change.env_id]];
    case 'project':
    case 'organization':
      return [['me'], ['usage']];
    case 'role':
      return [['me']];
    case 'member':
      return [['me'], ['granters']];
    case 'approval':
      return [['overview']];
    default:
      return [];
  }
}
