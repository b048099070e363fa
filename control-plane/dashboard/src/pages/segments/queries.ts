import { queryOptions } from '@tanstack/react-query';
import { api, demand, type Outcome, outcome, tagged } from '../../api/client';
import type { components } from '../../api/schema';

export type Segment = components['schemas']['Segment'];
export type SegmentFields = Pick<Segment, 'name' | 'description' | 'match_type' | 'rules'>;
export type Uses = components['schemas']['FlagUses'];
type NewSegment = components['schemas']['NewSegment'];

/** A segment with its version. */
export function segmentQuery(projectID: string, segmentKey: string) {
  return queryOptions({
    queryKey: ['segments', projectID, 'one', segmentKey],
    queryFn: ({ signal }) =>
      tagged(
        api.GET('/v1/projects/{projectID}/segments/{segmentKey}', {
          params: { path: { projectID, segmentKey } },
          signal,
        }),
      ),
  });
}

/** The flags whose rules name a segment, switched off or not. */
export function usesQuery(projectID: string, segmentKey: string) {
  return queryOptions({
    queryKey: ['segment-uses', projectID, segmentKey],
    queryFn: ({ signal }) =>
      demand(
        api.GET('/v1/projects/{projectID}/segments/{segmentKey}/usage', {
          params: { path: { projectID, segmentKey } },
          signal,
        }),
      ),
  });
}

export function createSegment(projectID: string, body: NewSegment): Promise<Outcome<Segment>> {
  return outcome(api.POST('/v1/projects/{projectID}/segments', { params: { path: { projectID } }, body }));
}

export function updateSegment(
  projectID: string,
  segmentKey: string,
  etag: string,
  body: Partial<SegmentFields>,
): Promise<Outcome<Segment>> {
  return outcome(
    api.PUT('/v1/projects/{projectID}/segments/{segmentKey}', {
      params: { path: { projectID, segmentKey }, header: { 'If-Match': etag } },
      body,
    }),
  );
}

export function deleteSegment(
  projectID: string,
  segmentKey: string,
  etag: string,
): Promise<Outcome<unknown>> {
  return outcome(
    api.DELETE('/v1/projects/{projectID}/segments/{segmentKey}', {
      params: { path: { projectID, segmentKey }, header: { 'If-Match': etag } },
    }),
  );
}
