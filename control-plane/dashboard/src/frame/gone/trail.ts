/** The audit entries of a deleted thing that the address names. */
import { queryOptions } from '@tanstack/react-query';
import { api, demand } from '../../api/client';

export type Kind = 'flag' | 'segment' | 'environment' | 'project';

/** Deletions that are looked through, newest first: a search also finds longer keys. */
const LOOKED_THROUGH = 100;
const SHOWN = 5;
/** Longer texts are no words of a search. */
const MOST_WORD = 200;

/** Its last entries, newest first; none when nothing of that name was deleted. */
export function trailQuery(kind: Kind, named: string, projectId: string | undefined) {
  return queryOptions({
    queryKey: ['gone', kind, projectId ?? null, named],
    queryFn: async ({ signal }) => {
      const inside = projectId === undefined ? {} : { project_id: projectId };
      // A name with blanks is no key, and would be more than one word.
      const words = /\s/.test(named) || named.length > MOST_WORD ? {} : { q: named };
      const query = { ...inside, ...words, action: `${kind}.deleted`, limit: LOOKED_THROUGH };
      const deletions = await demand(api.GET('/v1/audit', { params: { query }, signal }));
      const deletion = deletionOf(deletions.data, named);
      if (deletion?.resource_id == null) return [];
      const { data } = await demand(
        api.GET('/v1/audit', {
          params: { query: { resource_id: deletion.resource_id, limit: SHOWN } },
          signal,
        }),
      );
      return data;
    },
  });
}

/** The newest deletion of what had this key, slug or id. */
export function deletionOf<T extends { resource_id?: string | null; before_state?: unknown }>(
  entries: readonly T[],
  named: string,
): T | undefined {
  return entries.find(({ before_state, resource_id }) => {
    const before = (before_state ?? {}) as Record<string, unknown>;
    return before.key === named || before.slug === named || resource_id === named;
  });
}
