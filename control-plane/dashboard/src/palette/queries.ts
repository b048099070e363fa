import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, demand } from '../api/client';
import { Refused } from '../api/refusal';

/** More than a person looks through before typing another letter. */
const SHOWN = 20;

/** Things with the text in their key or name, of the organization or of one project. */
export function searchQuery(q: string, projectId?: string) {
  return queryOptions({
    queryKey: ['search', q, projectId ?? null],
    queryFn: async ({ signal }) => {
      const query = { q, limit: SHOWN, ...(projectId === undefined ? {} : { project_id: projectId }) };
      const { data } = await demand(api.GET('/v1/search', { params: { query }, signal }));
      return data;
    },
    placeholderData: keepPreviousData,
    // An organization searches once at a time: who comes meanwhile is asked to wait.
    retry: (failures, error) => failures < 3 && error instanceof Refused && error.refusal.kind === 'wait',
    retryDelay: 500,
    gcTime: 10_000,
  });
}
