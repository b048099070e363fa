import { queryOptions } from '@tanstack/react-query';
import { api, demand, type Outcome, outcome } from '../../api/client';
import { everyPage } from '../../api/pages';
import type { components } from '../../api/schema';

export type ScimToken = components['schemas']['ScimToken'];

/** The tokens, without their text, which is in no cache. */
export const tokensQuery = queryOptions({
  queryKey: ['scim-tokens'],
  queryFn: ({ signal }) =>
    everyPage(query => demand(api.GET('/v1/scim/tokens', { params: { query }, signal }))),
});

/** A token's text is in the answer, for this one time. */
export async function createToken(name: string, days: number | null): Promise<Outcome<string>> {
  const answer = await outcome(
    api.POST('/v1/scim/tokens', { body: { name: name === '' ? null : name, expires_in_days: days } }),
  );
  return answer.ok ? { ...answer, data: answer.data.token } : answer;
}

export function revokeToken(tokenID: string): Promise<Outcome<unknown>> {
  return outcome(api.DELETE('/v1/scim/tokens/{tokenID}', { params: { path: { tokenID } } }));
}
