import { queryOptions } from '@tanstack/react-query';
import { api, demand, type Outcome, outcome } from '../../../api/client';
import type { components } from '../../../api/schema';
import type { Grant } from '../../../grants/queries';

export type GrantInput = components['schemas']['GrantInput'];
export type HolderKind = components['schemas']['GrantHolderKind'];

const MOST_MEMBERS = 100;

export function grantsQuery(projectID: string) {
  return queryOptions({
    queryKey: ['grants', projectID],
    queryFn: async ({ signal }) => {
      const answer = api.GET('/v1/projects/{projectID}/grants', { params: { path: { projectID } }, signal });
      return (await demand(answer)).data;
    },
  });
}

/** Those who can hold a grant, those who joined first; service accounts are members too. */
export const holdersQuery = queryOptions({
  queryKey: ['team', 'holders'],
  queryFn: async ({ signal }) => {
    const { data } = await demand(
      api.GET('/v1/team', { params: { query: { limit: MOST_MEMBERS } }, signal }),
    );
    return data.map(({ member_id, name, user_id }) => ({ id: member_id, label: name, user_id }));
  },
});

export function giveGrant(projectID: string, body: GrantInput): Promise<Outcome<Grant>> {
  return outcome(api.POST('/v1/projects/{projectID}/grants', { params: { path: { projectID } }, body }));
}

/** Replaces all of a grant. */
export function replaceGrant(projectID: string, grantID: string, body: GrantInput): Promise<Outcome<Grant>> {
  return outcome(
    api.PUT('/v1/projects/{projectID}/grants/{grantID}', { params: { path: { projectID, grantID } }, body }),
  );
}

export function withdrawGrant(projectID: string, grantID: string): Promise<Outcome<unknown>> {
  return outcome(
    api.DELETE('/v1/projects/{projectID}/grants/{grantID}', { params: { path: { projectID, grantID } } }),
  );
}
