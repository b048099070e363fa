import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, demand, type Outcome, outcome, tagged } from '../api/client';
import { MOST_PER_PAGE } from '../api/pages';
import type { components } from '../api/schema';

type Schemas = components['schemas'];

export type ChangeSet = Schemas['ChangeSet'];
export type Status = Schemas['ChangeSetStatus'];
export type Changes = Schemas['ContentChange'];
export type Part = Schemas['ContentPart'];

/** A change set with its version. */
export interface Stored {
  data: ChangeSet;
  etag: string;
}

const PAGE = 50;
const PATH = '/v1/projects/{projectID}/change-sets';

/** The change sets of a project, the newest first. */
export function changeSetsQuery(projectID: string, status: Status | undefined) {
  return infiniteQueryOptions({
    queryKey: ['change-sets', projectID, 'list', status ?? ''],
    queryFn: ({ signal, pageParam }) => {
      const query = { ...(status === undefined ? {} : { status }), limit: PAGE, offset: pageParam };
      return demand(api.GET(PATH, { params: { path: { projectID }, query }, signal }));
    },
    initialPageParam: 0,
    getNextPageParam: last => (last.has_more ? last.offset + last.data.length : undefined),
    placeholderData: keepPreviousData,
  });
}

/** The drafts that something can be added to, the newest hundred. */
export function draftsQuery(projectID: string) {
  return queryOptions({
    queryKey: ['change-sets', projectID, 'drafts'],
    queryFn: async ({ signal }) => {
      const query = { status: 'draft', limit: MOST_PER_PAGE } as const;
      const { data } = await demand(api.GET(PATH, { params: { path: { projectID }, query }, signal }));
      return data;
    },
  });
}

export function changeSetQuery(projectID: string, changeSetID: string) {
  return queryOptions({
    queryKey: ['change-sets', projectID, 'one', changeSetID],
    queryFn: ({ signal }) => readChangeSet(projectID, changeSetID, signal),
  });
}

export function readChangeSet(
  projectID: string,
  changeSetID: string,
  signal?: AbortSignal,
): Promise<{ data: ChangeSet; etag: string }> {
  return tagged(
    api.GET(`${PATH}/{changeSetID}`, {
      params: { path: { projectID, changeSetID } },
      ...(signal === undefined ? {} : { signal }),
    }),
  );
}

export function createChangeSet(
  projectID: string,
  body: Schemas['NewChangeSet'],
): Promise<Outcome<ChangeSet>> {
  return outcome(api.POST(PATH, { params: { path: { projectID } }, body }));
}

export function updateChangeSet(
  { data: { project_id: projectID, id: changeSetID }, etag }: Stored,
  body: Schemas['ChangeSetPatch'],
): Promise<Outcome<ChangeSet>> {
  return outcome(
    api.PUT(`${PATH}/{changeSetID}`, {
      params: { path: { projectID, changeSetID } },
      headers: { 'if-match': etag },
      body,
    }),
  );
}
