import { queryOptions } from '@tanstack/react-query';
import { api, demand } from '../../api/client';

export const mfaQuery = queryOptions({
  queryKey: ['mfa'],
  queryFn: ({ signal }) => demand(api.GET('/v1/auth/mfa/status', { signal })),
});

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => demand(api.GET('/v1/auth/sessions', { signal })),
});
