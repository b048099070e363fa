import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, demand, type Outcome, outcome, tagged } from '../../api/client';
import { everyPage } from '../../api/pages';
import type { components } from '../../api/schema';

type Schemas = components['schemas'];

export type Webhook = Schemas['Webhook'];
export type Format = Schemas['WebhookFormat'];
export type Delivery = Schemas['WebhookDelivery'];
export type EventType = Schemas['WebhookEventType'];
/** What the form edits. */
export type WebhookFields = Pick<Webhook, 'name' | 'url' | 'events' | 'format'>;

/** How often deliveries are read while the page is open: none of them is announced by the event stream. */
const LOOK_EVERY_MS = 3000;

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks', 'all'],
  queryFn: ({ signal }) => everyPage(query => demand(api.GET('/v1/webhooks', { params: { query }, signal }))),
});

/** A webhook with its version. */
export function webhookQuery(webhookID: string) {
  return queryOptions({
    queryKey: ['webhooks', 'one', webhookID],
    queryFn: ({ signal }) =>
      tagged(api.GET('/v1/webhooks/{webhookID}', { params: { path: { webhookID } }, signal })),
  });
}

export const eventTypesQuery = queryOptions({
  queryKey: ['webhooks', 'event-types'],
  queryFn: ({ signal }) => demand(api.GET('/v1/webhooks/event-types', { signal })),
  staleTime: Number.POSITIVE_INFINITY,
});

/** The last deliveries, the newest first: the service keeps 50. */
export function deliveriesQuery(webhookID: string) {
  return queryOptions({
    queryKey: ['webhooks', 'deliveries', webhookID],
    queryFn: ({ signal }) =>
      demand(
        api.GET('/v1/webhooks/{webhookID}/deliveries', {
          params: { path: { webhookID }, query: { limit: 50 } },
          signal,
        }),
      ),
    refetchInterval: LOOK_EVERY_MS,
    placeholderData: keepPreviousData,
  });
}

/** One delivery with the body that was sent. */
export function deliveryQuery(webhookID: string, deliveryID: string) {
  return queryOptions({
    queryKey: ['webhooks', 'delivery', webhookID, deliveryID],
    queryFn: ({ signal }) =>
      demand(
        api.GET('/v1/webhooks/{webhookID}/deliveries/{deliveryID}', {
          params: { path: { webhookID, deliveryID } },
          signal,
        }),
      ),
    staleTime: 60_000,
  });
}

/** `secret` is `null` for unsigned deliveries. */
export function createWebhook(fields: WebhookFields, secret: string | null): Promise<Outcome<Webhook>> {
  return outcome(api.POST('/v1/webhooks', { body: { ...fields, secret } }));
}

export function updateWebhook(
  webhookID: string,
  etag: string,
  body: Partial<WebhookFields> & { enabled?: boolean; secret?: string | null },
): Promise<Outcome<Webhook>> {
  return outcome(
    api.PUT('/v1/webhooks/{webhookID}', {
      params: { path: { webhookID }, header: { 'If-Match': etag } },
      body,
    }),
  );
}

export function deleteWebhook(webhookID: string, etag: string): Promise<Outcome<unknown>> {
  return outcome(
    api.DELETE('/v1/webhooks/{webhookID}', {
      params: { path: { webhookID }, header: { 'If-Match': etag } },
    }),
  );
}

export function testWebhook(webhookID: string): Promise<Outcome<unknown>> {
  return outcome(api.POST('/v1/webhooks/{webhookID}/test', { params: { path: { webhookID } } }));
}

export function redeliver(webhookID: string, deliveryID: string): Promise<Outcome<unknown>> {
  return outcome(
    api.POST('/v1/webhooks/{webhookID}/deliveries/{deliveryID}/redeliver', {
      params: { path: { webhookID, deliveryID } },
    }),
  );
}

/** Repeats all that failed and was not repeated; how many. */
export async function redeliverFailed(webhookID: string): Promise<Outcome<number>> {
  const answer = await outcome(
    api.POST('/v1/webhooks/{webhookID}/redeliver', {
      params: { path: { webhookID } },
      body: { since: new Date(0).toISOString() },
    }),
  );
  return answer.ok ? { ...answer, data: answer.data.queued } : answer;
}
