import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, demand, type Outcome, outcome } from '../../api/client';
import { MOST_PER_PAGE } from '../../api/pages';
import type { components } from '../../api/schema';

type Schemas = components['schemas'];

export type Provider = Schemas['MigrationProvider'];
export type ProviderInfo = Schemas['MigrationProviderInfo'];
export type Analysis = Schemas['Analysis'];
export type Item = Schemas['MigrationItem'];
export type Verdict = Schemas['MigrationVerdict'];
export type Counts = Schemas['MigrationCounts'];
export type Status = Schemas['Migration'];
export type Summary = Schemas['MigrationSummary'];
/** With the credential: it is in the state of a component and in requests, and in no cache. */
export type Source = Schemas['MigrationSource'];

/** Pages of a report that a download reads: its items are at most 20,000. */
const MOST_PAGES = 400;
/** How often a running import is looked at; the service allows one look a second. */
const LOOK_EVERY_MS = 2500;

export const providersQuery = queryOptions({
  queryKey: ['migrations', 'providers'],
  queryFn: async ({ signal }) => {
    const { providers } = await demand(api.POST('/v1/migration/providers', { signal }));
    return providers;
  },
  staleTime: Number.POSITIVE_INFINITY,
});

/** The imports of the organization, the newest first: the service keeps 20. */
export const migrationsQuery = queryOptions({
  queryKey: ['migrations', 'all'],
  queryFn: ({ signal }) =>
    demand(api.GET('/v1/migration', { params: { query: { limit: MOST_PER_PAGE } }, signal })),
  refetchInterval: ({ state }) =>
    state.data?.data.some(({ status }) => status === 'in_progress') ? LOOK_EVERY_MS : false,
});

export function statusQuery(id: string) {
  return queryOptions({
    queryKey: ['migrations', 'status', id],
    queryFn: ({ signal }) =>
      demand(api.GET('/v1/migration/status/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (state.data?.status === 'in_progress' ? LOOK_EVERY_MS : false),
  });
}

/** The items of one verdict or all, page by page. */
export function reportQuery(id: string, verdict: Verdict | null) {
  return infiniteQueryOptions({
    queryKey: ['migrations', 'report', id, verdict],
    queryFn: ({ pageParam, signal }) => reportPage(id, verdict, pageParam, signal),
    initialPageParam: 0,
    getNextPageParam: last => (last.has_more ? last.offset + last.data.length : undefined),
  });
}

function reportPage(id: string, verdict: Verdict | null, offset: number, signal?: AbortSignal) {
  const query = { limit: MOST_PER_PAGE, offset, ...(verdict === null ? {} : { verdict }) };
  return demand(
    api.GET('/v1/migration/{id}/report', {
      params: { path: { id }, query },
      ...(signal === undefined ? {} : { signal }),
    }),
  );
}

/** All items of a report, for a file. */
export async function wholeReport(id: string): Promise<Item[]> {
  const items: Item[] = [];
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { data, has_more } = await reportPage(id, null, items.length);
    items.push(...data);
    if (!has_more) break;
  }
  return items;
}

export function connect(source: Source): Promise<Outcome<unknown>> {
  return outcome(api.POST('/v1/migration/connect', { body: source }));
}

export function analyze(source: Source): Promise<Outcome<Analysis>> {
  return outcome(api.POST('/v1/migration/analyze', { body: source }));
}

/** Begins the import; its id. */
export async function execute(source: Source): Promise<Outcome<string>> {
  const answer = await outcome(api.POST('/v1/migration/execute', { body: source }));
  if (!answer.ok) return answer;
  // Without `dry_run` an import has begun.
  const id = 'migration_id' in answer.data ? answer.data.migration_id : '';
  return { ...answer, data: id };
}

export function endMigration(id: string): Promise<Outcome<unknown>> {
  return outcome(api.DELETE('/v1/migration/{id}', { params: { path: { id } } }));
}
