import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, demand } from '../../../api/client';
import type { components } from '../../../api/schema';

export type Related = components['schemas']['RelatedFlag'];
export type Relations = components['schemas']['FlagRelations'];

/** The flags around one: those that it requires, and those that require it. */
export function relationsQuery(projectID: string, flagKey: string) {
  return queryOptions({
    queryKey: ['flag', projectID, flagKey, 'relations'],
    queryFn: ({ signal }) =>
      demand(
        api.GET('/v1/projects/{projectID}/flags/{flagKey}/relations', {
          params: { path: { projectID, flagKey } },
          signal,
        }),
      ),
  });
}

/** Flags that are offered at once: more than a person looks through. */
const OFFERED = 30;

/** Flags to choose from, by what is typed. */
export function flagChoicesQuery(projectID: string, typed: string) {
  const q = typed.trim();
  return queryOptions({
    queryKey: ['overview', projectID, 'choices', q],
    queryFn: async ({ signal }) => {
      const { data } = await demand(
        api.GET('/v1/projects/{projectID}/overview', {
          params: { path: { projectID }, query: { limit: OFFERED, sort: 'key', ...(q === '' ? {} : { q }) } },
          signal,
        }),
      );
      return data.map(({ key, name }) => ({ key, name }));
    },
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
}
