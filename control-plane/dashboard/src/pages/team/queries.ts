import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, demand, type Outcome, outcome } from '../../api/client';
import { everyPage } from '../../api/pages';
import type { components } from '../../api/schema';

type Schemas = components['schemas'];

export type TeamMember = Schemas['TeamMember'];
export type Access = Schemas['EnvironmentAccess'];
export type Identity = Schemas['SignInIdentity'];
export type Role = Schemas['Role'];

export const ROLES: readonly Role[] = ['owner', 'admin', 'developer', 'viewer'];

export const PAGE_SIZE = 100;

export interface TeamFilter {
  q?: string | undefined;
  /** The project of whose environments permissions are shown. */
  project_id?: string | undefined;
}

export function teamQuery(filter: TeamFilter, page: number) {
  return queryOptions({
    queryKey: ['team', 'page', filter.q ?? '', filter.project_id ?? '', page],
    queryFn: ({ signal }) =>
      demand(
        api.GET('/v1/team', {
          params: { query: { ...given(filter), limit: PAGE_SIZE, offset: page * PAGE_SIZE } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });
}

/** One member; `null` when there is none. */
export function memberQuery(memberId: string, projectId: string | undefined) {
  return queryOptions({
    queryKey: ['team', 'member', memberId, projectId ?? ''],
    queryFn: async ({ signal }) => {
      const query = { ...given({ project_id: projectId }), member_id: memberId };
      const { data } = await demand(api.GET('/v1/team', { params: { query }, signal }));
      return data[0] ?? null;
    },
    placeholderData: keepPreviousData,
  });
}

/** What providers call a member. */
export function identitiesQuery(memberID: string) {
  return queryOptions({
    queryKey: ['team', 'identities', memberID],
    queryFn: ({ signal }) =>
      everyPage(query =>
        demand(
          api.GET('/v1/members/{memberID}/identities', { params: { path: { memberID }, query }, signal }),
        ),
      ),
  });
}

/** The stored permissions of a member, in the environments of all projects. */
export function permissionsQuery(memberID: string) {
  return queryOptions({
    queryKey: ['team', 'permissions', memberID],
    queryFn: ({ signal }) =>
      demand(api.GET('/v1/members/{memberID}/permissions', { params: { path: { memberID } }, signal })),
  });
}

/** Those whom a custom role restricts, the first hundred of them. */
export function holdersQuery(roleId: string) {
  return queryOptions({
    queryKey: ['team', 'holders', roleId],
    queryFn: ({ signal }) =>
      demand(
        api.GET('/v1/team', {
          params: { query: { custom_role_id: roleId, limit: PAGE_SIZE } },
          signal,
        }),
      ),
  });
}

function given<T extends object>(filter: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(
    Object.entries(filter).filter(([, value]) => value !== undefined && value !== ''),
  ) as never;
}

export function inviteMember(email: string, role: Role): Promise<Outcome<Schemas['Member']>> {
  return outcome(api.POST('/v1/members/invite', { body: { email, role } }));
}

export function updateMember(memberID: string, body: Schemas['MemberPatch']): Promise<Outcome<unknown>> {
  return outcome(api.PUT('/v1/members/{memberID}', { params: { path: { memberID } }, body }));
}

export function removeMember(memberID: string): Promise<Outcome<unknown>> {
  return outcome(api.DELETE('/v1/members/{memberID}', { params: { path: { memberID } } }));
}

export function endSessions(memberID: string): Promise<Outcome<unknown>> {
  return outcome(api.DELETE('/v1/members/{memberID}/sessions', { params: { path: { memberID } } }));
}

export function unbind(memberID: string, providerID: string): Promise<Outcome<unknown>> {
  return outcome(
    api.DELETE('/v1/members/{memberID}/identities/{providerID}', {
      params: { path: { memberID, providerID } },
    }),
  );
}

export function setPermissions(memberID: string, permissions: readonly Access[]): Promise<Outcome<unknown>> {
  return outcome(
    api.PUT('/v1/members/{memberID}/permissions', {
      params: { path: { memberID } },
      body: { permissions: [...permissions] },
    }),
  );
}
