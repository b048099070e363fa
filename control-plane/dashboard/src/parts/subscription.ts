import { queryOptions } from '@tanstack/react-query';
import { api, demand } from '../api/client';
import type { components } from '../api/schema';

export type Subscription = components['schemas']['SubscriptionReport'];

export const subscriptionQuery = queryOptions({
  queryKey: ['subscription'],
  queryFn: ({ signal }) => demand(api.GET('/v1/billing/subscription', { signal })),
});
