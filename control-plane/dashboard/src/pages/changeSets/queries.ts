import { queryOptions } from '@tanstack/react-query';
import { api, demand, type Outcome, outcome } from '../../api/client';
import type { components } from '../../api/schema';
import type { ChangeSet, Stored } from '../../changeSets/queries';
import { waiting } from '../../flagState/comment';
import type { Context } from '../flag/explain/context';

type Schemas = components['schemas'];

export type Difference = Schemas['ChangeSetDifference'];
export type Conflict = Schemas['ContentConflict'];
export type Answers = Schemas['ChangeSetExplanation'];

const PATH = '/v1/projects/{projectID}/change-sets/{changeSetID}';
const MOST_PEOPLE = 100;

/** What it would do now. */
export function differenceQuery({ project_id: projectID, id: changeSetID, version }: ChangeSet) {
  return queryOptions({
    queryKey: ['change-sets', projectID, 'difference', changeSetID, version],
    queryFn: ({ signal }) =>
      demand(api.GET(`${PATH}/diff`, { params: { path: { projectID, changeSetID } }, signal })),
  });
}

/** Names of members by their accounts: of those who joined first. */
export const namesQuery = queryOptions({
  queryKey: ['team', 'names'],
  queryFn: async ({ signal }) => {
    const { data } = await demand(api.GET('/v1/team', { params: { query: { limit: MOST_PEOPLE } }, signal }));
    return new Map(data.map(({ user_id, name }) => [user_id, name]));
  },
  staleTime: 60_000,
});

/** What a context gets without the change set and with it. */
export function explain(
  { project_id: projectID, id: changeSetID }: ChangeSet,
  envId: string,
  context: Context,
): Promise<Outcome<Answers>> {
  return outcome(
    api.POST(`${PATH}/explain`, {
      params: { path: { projectID, changeSetID } },
      body: { env_id: envId, context: context as Schemas['ExplainContext'] },
    }),
  );
}

/** The path and the version of a write. */
function at({ data: { project_id: projectID, id: changeSetID }, etag }: Stored) {
  return { params: { path: { projectID, changeSetID } }, headers: { 'if-match': etag } };
}

export function request(stored: Stored): Promise<Outcome<ChangeSet>> {
  return outcome(api.POST(`${PATH}/request`, at(stored)));
}

interface Review {
  action: 'approve' | 'reject';
  note: string;
  /** The version of the difference that was shown, where it has conflicts. */
  seen: number | undefined;
}

export function review(stored: Stored, { action, note, seen }: Review): Promise<Outcome<ChangeSet>> {
  const body = { action, ...(note === '' ? {} : { note }), ...seenVersion(seen) };
  return outcome(api.POST(`${PATH}/review`, { ...at(stored), body }));
}

interface Application {
  comment?: string;
  /** When; now if it is absent. */
  at?: string;
  seen?: number | undefined;
}

export function apply(stored: Stored, { comment = '', at: time, seen }: Application) {
  const { params, headers } = at(stored);
  return outcome(
    api.POST(`${PATH}/apply`, {
      params: { ...params, ...(time === undefined ? { query: waiting(comment) } : {}) },
      headers,
      body: { ...(time === undefined ? {} : { at: time }), ...seenVersion(seen) },
    }),
  );
}

const seenVersion = (seen: number | undefined) => (seen === undefined ? {} : { seen_version: seen });

export function reopen(stored: Stored): Promise<Outcome<ChangeSet>> {
  return outcome(api.POST(`${PATH}/reopen`, at(stored)));
}

/** The draft that undoes it. */
export function undo(stored: Stored): Promise<Outcome<ChangeSet>> {
  return outcome(api.POST(`${PATH}/undo`, at(stored)));
}

export function remove(stored: Stored): Promise<Outcome<unknown>> {
  return outcome(api.DELETE(PATH, at(stored)));
}
