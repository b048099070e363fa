import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, demand, outcome } from '../../api/client';
import { Refused } from '../../api/refusal';
import type { components } from '../../api/schema';

type Schemas = components['schemas'];

export type Entry = Schemas['AuditEntry'];

/** What entries are asked for, as the API and the address call it. */
export interface Filter {
  project_id?: string;
  env_id?: string;
  actor_id?: string;
  action?: string;
  resource_type?: string;
  resource_id?: string;
  q?: string;
  from?: string;
  to?: string;
}

const PAGE = 100;

/** Entries that fit, the newest first; each page continues after the last entry, however long the log is. */
export function entriesQuery(filter: Filter) {
  return infiniteQueryOptions({
    queryKey: ['audit', filter],
    queryFn: ({ signal, pageParam }) =>
      demand(
        api.GET('/v1/audit', {
          params: { query: { ...filter, limit: PAGE, ...(pageParam === '' ? {} : { before: pageParam }) } },
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: last => (last.has_more ? last.data.at(-1)?.id : undefined),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}

/** Entries since this time, the newest first, and whether there are more than a page of them. */
export async function newEntries(filter: Filter, from: string | undefined) {
  const query = { ...filter, limit: PAGE, ...(from === undefined ? {} : { from }) };
  const { data, has_more } = await demand(api.GET('/v1/audit', { params: { query } }));
  return { entries: data, isMore: has_more };
}

export const actionsQuery = queryOptions({
  queryKey: ['audit-actions'],
  queryFn: ({ signal }) => demand(api.GET('/v1/audit/actions', { signal })),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Members to choose from, those who joined first. The API takes the id of a membership for the person. */
export const peopleQuery = queryOptions({
  queryKey: ['granters', 'people'],
  queryFn: async ({ signal }) => {
    const { data } = await demand(api.GET('/v1/members', { params: { query: { limit: PAGE } }, signal }));
    return data;
  },
  staleTime: 60_000,
});

/** The version of a flag that a change of this moment made; none where it is no longer kept. */
export function versionAtQuery(projectID: string, flagKey: string, envID: string, at: string) {
  return queryOptions({
    queryKey: ['flag-version-at', projectID, flagKey, envID, at],
    queryFn: async ({ signal }) => {
      const { data } = await demand(
        api.GET('/v1/projects/{projectID}/flags/{flagKey}/history', {
          params: { path: { projectID, flagKey }, query: { env_id: envID, limit: PAGE } },
          signal,
        }),
      );
      return data.find(version => Date.parse(version.at) === Date.parse(at))?.version ?? null;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** A part of the entries as CSV, and the entry after which the next one begins. */
export async function csvPart(filter: Filter, before: string | undefined) {
  const answer = await outcome(
    api.GET('/v1/audit', {
      params: { query: { ...filter, ...(before === undefined ? {} : { before }) } },
      headers: { accept: 'text/csv' },
      parseAs: 'text',
    }) as Promise<{ data?: string; error?: unknown; response: Response }>,
  );
  if (!answer.ok) throw new Refused(answer.refusal);
  const link = answer.response.headers.get('link') ?? '';
  return { text: answer.data, next: /[?&]before=([\w-]+)>; rel="next"/.exec(link)?.[1] };
}
