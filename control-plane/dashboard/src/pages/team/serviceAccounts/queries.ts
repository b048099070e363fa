import { queryOptions } from '@tanstack/react-query';
import { api, demand, type Outcome, outcome } from '../../../api/client';
import { everyPage } from '../../../api/pages';
import type { components } from '../../../api/schema';
import type { Role } from '../queries';

export type ServiceAccount = components['schemas']['ServiceAccount'];

/** Its key begins as those of members do: what changes them may change these. */
export const accountsQuery = queryOptions({
  queryKey: ['team', 'service-accounts'],
  queryFn: ({ signal }) =>
    everyPage(query => demand(api.GET('/v1/service-accounts', { params: { query }, signal }))),
});

export function createAccount(name: string, role: Role): Promise<Outcome<ServiceAccount>> {
  return outcome(api.POST('/v1/service-accounts', { body: { name, role } }));
}

export function renameAccount(serviceAccountID: string, name: string): Promise<Outcome<unknown>> {
  return outcome(
    api.PATCH('/v1/service-accounts/{serviceAccountID}', {
      params: { path: { serviceAccountID } },
      body: { name },
    }),
  );
}

export function deleteAccount(serviceAccountID: string): Promise<Outcome<unknown>> {
  return outcome(
    api.DELETE('/v1/service-accounts/{serviceAccountID}', { params: { path: { serviceAccountID } } }),
  );
}
