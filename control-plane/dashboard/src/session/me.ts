import { queryOptions } from '@tanstack/react-query';
import { createContext, use } from 'react';
import { api, demand } from '../api/client';
import type { components } from '../api/schema';

export type Me = components['schemas']['Me'];

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => demand(api.GET('/v1/me', { signal })),
  staleTime: 60_000,
});

export const MeContext = createContext<Me | null>(null);

/** Who is signed in. Only for what is inside the frame. */
export function useMe(): Me {
  const me = use(MeContext);
  if (me === null) throw new Error('useMe is used outside of the frame');
  return me;
}
