import { queryOptions } from '@tanstack/react-query';
import { api, demand, type Outcome, outcome } from '../api/client';
import { everyPage } from '../api/pages';
import type { components } from '../api/schema';

type Schemas = components['schemas'];

export type AccessToken = Schemas['AccessToken'];
export type NewAccessToken = Schemas['NewAccessToken'];
export type Role = Schemas['Role'];

/** The id of a service account; `null` for the person who is signed in. */
export type Holder = string | null;

/** The tokens, without their text, which is in no cache. */
export function tokensQuery(holder: Holder) {
  return queryOptions({
    queryKey: ['access-tokens', holder ?? 'own'],
    queryFn: ({ signal }) =>
      everyPage(query =>
        holder === null
          ? demand(api.GET('/v1/me/tokens', { params: { query }, signal }))
          : demand(
              api.GET('/v1/service-accounts/{serviceAccountID}/tokens', {
                params: { path: { serviceAccountID: holder }, query },
                signal,
              }),
            ),
      ),
  });
}

/** A token's text is in the answer, for this one time. */
export async function createToken(holder: Holder, body: NewAccessToken): Promise<Outcome<string>> {
  const answer =
    holder === null
      ? await outcome(api.POST('/v1/me/tokens', { body }))
      : await outcome(
          api.POST('/v1/service-accounts/{serviceAccountID}/tokens', {
            params: { path: { serviceAccountID: holder } },
            body,
          }),
        );
  return answer.ok ? { ...answer, data: answer.data.token } : answer;
}

/** As above: the text of the token that takes the old one's place. */
export async function rotateToken(
  serviceAccountID: string,
  accessTokenID: string,
  hours: number,
): Promise<Outcome<string>> {
  const answer = await outcome(
    api.POST('/v1/service-accounts/{serviceAccountID}/tokens/{accessTokenID}/rotate', {
      params: { path: { serviceAccountID, accessTokenID } },
      body: { overlap_hours: hours },
    }),
  );
  return answer.ok ? { ...answer, data: answer.data.token } : answer;
}

export function revokeToken(holder: Holder, accessTokenID: string): Promise<Outcome<unknown>> {
  return holder === null
    ? outcome(api.DELETE('/v1/me/tokens/{accessTokenID}', { params: { path: { accessTokenID } } }))
    : outcome(
        api.DELETE('/v1/service-accounts/{serviceAccountID}/tokens/{accessTokenID}', {
          params: { path: { serviceAccountID: holder, accessTokenID } },
        }),
      );
}
