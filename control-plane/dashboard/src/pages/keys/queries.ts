import { queryOptions } from '@tanstack/react-query';
import { api, demand, type Outcome, outcome } from '../../api/client';
import { everyPage } from '../../api/pages';
import type { components } from '../../api/schema';

export type ApiKey = components['schemas']['ApiKey'];
export type KeyType = components['schemas']['KeyType'];
export const TYPES: readonly KeyType[] = ['server', 'client'];

type NewApiKey = components['schemas']['NewApiKey'];

/** The keys of an environment, ended ones included. What they open never comes this way: a key's text is in no cache. */
export function keysQuery(envID: string) {
  return queryOptions({
    queryKey: ['api-keys', envID],
    queryFn: ({ signal }) =>
      everyPage(query =>
        demand(api.GET('/v1/environments/{envID}/api-keys', { params: { path: { envID }, query }, signal })),
      ),
  });
}

/** A flag to ask for in an example; `null` while the project has none. */
export function firstFlagQuery(projectID: string) {
  return queryOptions({
    queryKey: ['overview', projectID, 'first'],
    queryFn: async ({ signal }) => {
      const { data } = await demand(
        api.GET('/v1/projects/{projectID}/flags', {
          params: { path: { projectID }, query: { limit: 1 } },
          signal,
        }),
      );
      return data[0]?.key ?? null;
    },
  });
}

/** A key's text is in the answer, for this one time. */
export async function createKey(envID: string, body: NewApiKey): Promise<Outcome<string>> {
  const answer = await outcome(
    api.POST('/v1/environments/{envID}/api-keys', { params: { path: { envID } }, body }),
  );
  return answer.ok ? { ...answer, data: answer.data.key } : answer;
}

/** As above: the text of the key that takes the old one's place. */
export async function rotateKey(keyID: string, graceHours: number): Promise<Outcome<string>> {
  const answer = await outcome(
    api.POST('/v1/api-keys/{keyID}/rotate', {
      params: { path: { keyID } },
      body: { grace_period_hours: graceHours },
    }),
  );
  return answer.ok ? { ...answer, data: answer.data.new_key } : answer;
}

export function revokeKey(keyID: string): Promise<Outcome<unknown>> {
  return outcome(api.DELETE('/v1/api-keys/{keyID}', { params: { path: { keyID } } }));
}
