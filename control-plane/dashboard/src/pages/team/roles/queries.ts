import { queryOptions } from '@tanstack/react-query';
import { api, demand, type Outcome, outcome, tagged } from '../../../api/client';
import type { components } from '../../../api/schema';

export type CustomRole = components['schemas']['CustomRole'];
type RoleInput = components['schemas']['RoleInput'];

/** Built-in roles and those of the organization. */
export const rolesQuery = queryOptions({
  queryKey: ['roles'],
  queryFn: async ({ signal }) => {
    const { data } = await demand(api.GET('/v1/roles', { signal }));
    return data;
  },
});

/** One role with its version. */
export function roleQuery(roleID: string) {
  return queryOptions({
    queryKey: ['roles', roleID],
    queryFn: ({ signal }) => tagged(api.GET('/v1/roles/{roleID}', { params: { path: { roleID } }, signal })),
  });
}

export function createRole(body: RoleInput): Promise<Outcome<CustomRole>> {
  return outcome(api.POST('/v1/roles', { body }));
}

export function updateRole(roleID: string, etag: string, body: RoleInput): Promise<Outcome<unknown>> {
  return outcome(
    api.PUT('/v1/roles/{roleID}', {
      params: { path: { roleID }, header: { 'If-Match': etag } },
      body,
    }),
  );
}

export function deleteRole(roleID: string): Promise<Outcome<unknown>> {
  return outcome(api.DELETE('/v1/roles/{roleID}', { params: { path: { roleID } } }));
}
