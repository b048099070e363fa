import { queryOptions } from '@tanstack/react-query';
import { api, demand, type Outcome, outcome } from '../../api/client';

export const mfaQuery = queryOptions({
  queryKey: ['mfa'],
  queryFn: ({ signal }) => demand(api.GET('/v1/auth/mfa/status', { signal })),
});

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => demand(api.GET('/v1/auth/sessions', { signal })),
});

export function rename(name: string): Promise<Outcome<unknown>> {
  return outcome(api.PATCH('/v1/me', { body: { name } }));
}

export function changePassword(current: string, next: string): Promise<Outcome<unknown>> {
  return outcome(
    api.POST('/v1/auth/change-password', { body: { current_password: current, new_password: next } }),
  );
}
