import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, demand } from '../../api/client';
import { MOST_PER_PAGE } from '../../api/pages';
import type { components } from '../../api/schema';

export type Approval = components['schemas']['Approval'];

export function approvalsQuery(status: 'pending' | undefined) {
  return queryOptions({
    queryKey: ['approvals', status ?? 'all'],
    queryFn: ({ signal }) =>
      demand(
        api.GET('/v1/approvals', {
          params: { query: { limit: MOST_PER_PAGE, ...(status === undefined ? {} : { status }) } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });
}

export function approvalQuery(id: string) {
  return queryOptions({
    queryKey: ['approvals', 'one', id],
    queryFn: ({ signal }) =>
      demand(api.GET('/v1/approvals/{approvalID}', { params: { path: { approvalID: id } }, signal })),
  });
}

/** The state that a request would change. */
export function stateQuery({ id, project_id, flag_key, env_id, env_slug }: Approval) {
  return queryOptions({
    queryKey: ['approvals', 'state', id],
    queryFn: ({ signal }) =>
      demand(
        api.GET('/v1/projects/{projectID}/flags/{flagKey}/environments/{envID}', {
          params: { path: { projectID: project_id, flagKey: flag_key ?? '', envID: env_id } },
          signal,
        }),
      ),
    enabled: flag_key !== null && env_slug !== null,
  });
}
