import { queryOptions } from '@tanstack/react-query';
import { api, demand } from '../../../api/client';

/** The member; `null` once they have left. */
export function memberQuery(id: string) {
  return queryOptions({
    queryKey: ['team', 'owner', id],
    queryFn: async ({ signal }) => {
      const { data } = await demand(
        api.GET('/v1/team', { params: { query: { member_id: id, limit: 1 } }, signal }),
      );
      return data[0] ?? null;
    },
  });
}
