import { queryOptions } from '@tanstack/react-query';
import { api, demand, type Outcome, outcome } from '../../api/client';
import type { components } from '../../api/schema';

export type Edge = components['schemas']['FleetEdge'];
export type EdgeList = components['schemas']['EdgeList'];
export type EnrolledEdge = components['schemas']['EnrolledEdge'];
export type Wave = components['schemas']['Wave'];

export const edgesQuery = queryOptions({
  queryKey: ['edges'],
  queryFn: ({ signal }) => demand(api.GET('/v1/edges', { signal })),
});

/** The last changes of an environment, or of all. */
export function wavesQuery(envId: string | undefined, limit: number) {
  return queryOptions({
    queryKey: ['edge-waves', envId ?? '', limit],
    queryFn: ({ signal }) =>
      demand(
        api.GET('/v1/edges/waves', {
          params: { query: { limit, ...(envId === undefined ? {} : { env_id: envId }) } },
          signal,
        }),
      ),
  });
}

export function enrollEdge(body: { name: string; region?: string }): Promise<Outcome<EnrolledEdge>> {
  return outcome(api.POST('/v1/edges', { body }));
}

export function revokeEdge(edgeName: string): Promise<Outcome<unknown>> {
  return outcome(api.DELETE('/v1/edges/{edgeName}', { params: { path: { edgeName } } }));
}
