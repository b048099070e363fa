import { queryOptions } from '@tanstack/react-query';
import { api, demand } from '../api/client';

/** The members that can be asked: those who joined first, the founder of the organization included. */
const MOST = 100;

/** Who may grant more: the owners and admins. */
export const granters = queryOptions({
  queryKey: ['granters'],
  queryFn: async ({ signal }) => {
    const { data } = await demand(api.GET('/v1/members', { params: { query: { limit: MOST } }, signal }));
    return data.filter(({ role }) => role === 'owner' || role === 'admin');
  },
  staleTime: 60_000,
});
