import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, demand, type Outcome, outcome } from '../../api/client';
import { MOST_PER_PAGE } from '../../api/pages';
import type { components } from '../../api/schema';

type Schemas = components['schemas'];

export type Approval = Schemas['Approval'];
export type Diff = Schemas['ApprovalDiff'];
export type Comment = Schemas['ApprovalComment'];

export interface Filter {
  status?: 'pending' | 'applied' | 'rejected';
  requestor_id?: string;
  project_id?: string;
  flag_key?: string;
}

const PAGE = 50;

/** Requests that fit, the newest first. */
export function approvalsQuery(filter: Filter) {
  return infiniteQueryOptions({
    queryKey: ['approvals', 'list', filter],
    queryFn: ({ signal, pageParam }) =>
      demand(
        api.GET('/v1/approvals', {
          params: { query: { ...filter, limit: PAGE, offset: pageParam } },
          signal,
        }),
      ),
    initialPageParam: 0,
    getNextPageParam: last => (last.has_more ? last.offset + last.data.length : undefined),
    placeholderData: keepPreviousData,
  });
}

/** How many requests fit. */
export function countQuery(filter: Filter) {
  return queryOptions({
    queryKey: ['approvals', 'count', filter],
    queryFn: async ({ signal }) => {
      const { total } = await demand(
        api.GET('/v1/approvals', { params: { query: { ...filter, limit: 1 } }, signal }),
      );
      return total;
    },
  });
}

export function approvalQuery(id: string) {
  return queryOptions({
    queryKey: ['approvals', 'one', id],
    queryFn: ({ signal }) =>
      demand(api.GET('/v1/approvals/{approvalID}', { params: { path: { approvalID: id } }, signal })),
  });
}

/** What it changes, then and now. Changes of flags in the project make it stale. */
export function diffQuery({ id, project_id }: Approval) {
  return queryOptions({
    queryKey: ['approval-diff', project_id, id],
    queryFn: ({ signal }) =>
      demand(api.GET('/v1/approvals/{approvalID}/diff', { params: { path: { approvalID: id } }, signal })),
  });
}

export function commentsQuery(id: string) {
  return queryOptions({
    queryKey: ['approvals', 'comments', id],
    queryFn: ({ signal }) =>
      demand(
        api.GET('/v1/approvals/{approvalID}/comments', {
          params: { path: { approvalID: id }, query: { limit: MOST_PER_PAGE } },
          signal,
        }),
      ),
  });
}

/** Names of those who approved so far, as the audit log has them. */
export function reviewersQuery(id: string, count: number) {
  return queryOptions({
    queryKey: ['approvals', 'reviewers', id, count],
    queryFn: async ({ signal }) => {
      const query = { resource_id: id, action: 'approval.approved', limit: MOST_PER_PAGE };
      const { data } = await demand(api.GET('/v1/audit', { params: { query }, signal }));
      return new Map(data.map(({ actor_id, actor_name }) => [actor_id, actor_name]));
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

interface Review {
  action: 'approve' | 'reject';
  note: string;
  /** The version whose difference was shown. */
  seen: number | null;
}

export function review(id: string, { action, note, seen }: Review): Promise<Outcome<Approval>> {
  return outcome(
    api.POST('/v1/approvals/{approvalID}/review', {
      params: { path: { approvalID: id }, query: { wait: 'edges' } },
      body: {
        action,
        ...(note === '' ? {} : { note }),
        ...(action === 'approve' && seen !== null ? { current_version: seen } : {}),
      },
    }),
  );
}

export function withdraw(id: string): Promise<Outcome<Approval>> {
  return outcome(api.POST('/v1/approvals/{approvalID}/withdraw', { params: { path: { approvalID: id } } }));
}

export function comment(id: string, text: string): Promise<Outcome<Comment>> {
  return outcome(
    api.POST('/v1/approvals/{approvalID}/comments', { params: { path: { approvalID: id } }, body: { text } }),
  );
}

/** What a user gets now, and once the request is applied. */
export function previewQuery(
  approval: Approval,
  diff: Diff,
  key: string,
  attributes: Record<string, unknown>,
) {
  const { project_id, env_id, flag_key } = approval;
  const ask = (signal: AbortSignal, state?: Schemas['StatePatch']) =>
    demand(
      api.POST('/v1/explain', {
        body: {
          project_id,
          env_id,
          flag_key: flag_key ?? '',
          context: { key, attributes },
          ...(state === undefined ? {} : { state }),
        },
        signal,
      }),
    );
  return queryOptions({
    queryKey: ['explain', project_id, 'approval', approval.id, diff.current_version, key, attributes],
    queryFn: async ({ signal }) => {
      const [before, after] = await Promise.all([ask(signal), ask(signal, diff.proposed)]);
      return { before, after };
    },
  });
}
