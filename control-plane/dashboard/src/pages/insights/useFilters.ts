import { getRouteApi } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { Environment } from '../../api/model';

const route = getRouteApi('/framed/p/$project/insights');

type Search = ReturnType<typeof route.useSearch>;

/** What the address filters by, and how to change it. An environment that is not there counts as all. */
export function useFilters(environments: readonly Environment[]) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const environment = environments.find(({ id, slug }) => slug === search.env || id === search.env);
  const set = useCallback(
    (change: { [K in keyof Search]?: Search[K] | undefined }) =>
      void navigate({
        search: before =>
          Object.fromEntries(
            Object.entries({ ...before, ...change }).filter(
              ([, value]) => value !== undefined && value !== '',
            ),
          ),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
  return { search, environment, set };
}
