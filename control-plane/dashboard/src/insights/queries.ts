import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, demand } from '../api/client';
import { partsOf, type Range, type Span, spanOf } from './ranges';
import { memberOf, type Report, type Split } from './report';

/** What is counted: of a project, or of less. */
export interface Scope {
  projectId: string;
  envId: string | undefined;
  flagKey: string | undefined;
}

const AGAIN: Record<Range, number> = { hour: 30_000, day: 60_000, month: 300_000, year: 300_000 };

function filterOf({ projectId, envId, flagKey }: Scope) {
  return {
    project_id: projectId,
    ...(envId === undefined ? {} : { env_id: envId }),
    ...(flagKey === undefined ? {} : { flag_key: flagKey }),
  };
}

export interface Counted {
  span: Span;
  reports: Report[];
}

/** Evaluations over time. The span moves with the clock, so each answer says which it is of. */
export function seriesQuery(scope: Scope, range: Range, split: Split) {
  return queryOptions({
    queryKey: ['insights', scope.projectId, 'series', scope.envId, scope.flagKey, range, split],
    queryFn: async ({ signal }): Promise<Counted> => {
      const span = spanOf(range, Date.now());
      const reports = partsOf(span).map(({ from, to }) =>
        demand(
          api.GET('/v1/metrics/series', {
            params: {
              query: {
                ...filterOf(scope),
                step: span.name,
                from: String(from),
                to: String(to),
                by: memberOf(split),
              },
            },
            signal,
          }),
        ),
      );
      return { span, reports: await Promise.all(reports) };
    },
    placeholderData: keepPreviousData,
    refetchInterval: AGAIN[range],
  });
}

/** The counter since the last reset. */
export function counterQuery(scope: Scope) {
  return queryOptions({
    queryKey: ['insights', scope.projectId, 'counter', scope.envId, scope.flagKey],
    queryFn: async ({ signal }) => {
      const { total_evaluations: total, window_start: since } = await demand(
        api.GET('/v1/metrics/evaluations', {
          params: { query: { ...filterOf(scope), limit: 1 } },
          signal,
        }),
      );
      return { total, since };
    },
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });
}

/** Edges that are enrolled and not connected: what they counted comes when they return. */
export const awayQuery = queryOptions({
  queryKey: ['insights', 'away'],
  queryFn: async ({ signal }) => {
    const { data } = await demand(api.GET('/v1/edges', { signal }));
    return {
      connected: data.filter(({ connected }) => connected).length,
      away: data
        .filter(({ connected }) => !connected)
        .map(({ name, last_seen_at }) => ({ name, last_seen_at })),
    };
  },
  refetchInterval: 30_000,
});

/** Changes that one chart marks. */
const MOST_CHANGES = 100;

/** Changes of flags, from the audit log; the newest of them. */
export function changesQuery(scope: Scope, flagId: string | undefined, { from, to }: Span) {
  const iso = (seconds: number) => new Date(seconds * 1000).toISOString();
  return queryOptions({
    // A change of a flag makes it stale.
    queryKey: ['flag', scope.projectId, 'changes', scope.envId, flagId, from, to],
    queryFn: ({ signal }) =>
      demand(
        api.GET('/v1/audit', {
          params: {
            query: {
              project_id: scope.projectId,
              resource_type: 'flag',
              ...(flagId === undefined ? {} : { resource_id: flagId }),
              ...(scope.envId === undefined ? {} : { env_id: scope.envId }),
              from: iso(from),
              to: iso(to),
              limit: MOST_CHANGES,
            },
          },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });
}
