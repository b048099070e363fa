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

export type Rehearsal = components['schemas']['Rehearsal'];
type NewRehearsal = components['schemas']['NewRehearsal'];

/** The last rehearsal of an outage in an environment; `null` if there was none. */
export function rehearsalQuery(projectID: string, envID: string) {
  return queryOptions({
    queryKey: ['rehearsal', projectID, envID],
    queryFn: async ({ signal }) => {
      const { data } = await demand(
        api.GET('/v1/projects/{projectID}/environments/{envID}/rehearsals', {
          params: { path: { projectID, envID }, query: { limit: 1 } },
          signal,
        }),
      );
      return data[0] ?? null;
    },
  });
}

export function beginRehearsal(
  projectID: string,
  envID: string,
  body: NewRehearsal,
): Promise<Outcome<Rehearsal>> {
  return outcome(
    api.POST('/v1/projects/{projectID}/environments/{envID}/rehearsals', {
      params: { path: { projectID, envID } },
      body,
    }),
  );
}

export function stopRehearsal(projectID: string, envID: string): Promise<Outcome<Rehearsal>> {
  return outcome(
    api.POST('/v1/projects/{projectID}/environments/{envID}/rehearsals/stop', {
      params: { path: { projectID, envID } },
    }),
  );
}

/** Flags of an environment whose defaults in code differ from what is served. */
export function differingQuery(projectID: string, envID: string) {
  return queryOptions({
    queryKey: ['defaults', projectID, envID],
    queryFn: async ({ signal }) => {
      const { defaults } = await demand(
        api.GET('/v1/projects/{projectID}/defaults', {
          params: { path: { projectID }, query: { env_id: envID } },
          signal,
        }),
      );
      const differing = defaults.filter(one => one.differing > 0);
      return [...new Set(differing.map(one => one.flag_key))];
    },
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
