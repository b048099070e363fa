import { queryOptions } from '@tanstack/react-query';
import { api, demand } from '../api/client';

/** The members that a request may ask for: those who joined first, and so whoever founded the organization. */
const MOST = 100;

/** Who may grant more: the owners and admins that have signed up, by name. */
export const granters = queryOptions({
  queryKey: ['granters'],
  queryFn: async ({ signal }) => {
    const { data } = await demand(api.GET('/v1/members', { params: { query: { limit: MOST } }, signal }));
    return {
      owners: data.filter(({ role }) => role === 'owner').map(({ name }) => name),
      admins: data.filter(({ role }) => role === 'admin').map(({ name }) => name),
    };
  },
  staleTime: 60_000,
});
