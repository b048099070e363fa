import { queryOptions } from '@tanstack/react-query';
import { api, demand } from '../../api/client';
import type { components } from '../../api/schema';

export type Checkout = components['schemas']['Checkout'];
export type Gateway = components['schemas']['PaymentGateway'];
export type Pricing = components['schemas']['Pricing'];

export const pricingQuery = queryOptions({
  queryKey: ['pricing'],
  queryFn: ({ signal }) => demand(api.GET('/v1/pricing', { signal })),
  staleTime: 3_600_000,
});
