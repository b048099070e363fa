//! The endpoints of webhooks.

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use serde::Serialize;
use serving::{
    body::{Body, RawBody},
    error::ApiError,
    page::{Page, Paged},
    params::Path,
};
use utoipa::ToSchema;

use crate::http::{IfMatch, Manager, Routes, Tagged, endpoints};
use base::ids::{WebhookDeliveryId, WebhookId};
use domain::{
    roles::keys::WebhooksManage,
    webhooks::{
        Webhooks, change,
        input::{NewWebhook, Redelivery, WebhookPatch},
        model::{Delivery, DeliveryDetail, EventTypes, Webhook},
        store,
    },
};

pub fn router() -> Routes {
    endpoints![
        event_types,
        create,
        list,
        show,
        update,
        delete,
        deliveries,
        delivery,
        test,
        redeliver,
        redeliver_failed
    ]
}

/// Lists the event types that a webhook may listen to, each with its meaning.
#[utoipa::path(
    get,
    path = "/v1/webhooks/event-types",
    operation_id = "listWebhookEventTypes",
    tag = "webhooks",
    responses((status = 200, description = "those of flags first", body = EventTypes))
)]
async fn event_types(_: Manager<WebhooksManage>) -> Json<EventTypes> {
    Json(EventTypes::all())
}

/// Creates a webhook.
#[utoipa::path(
    post,
    path = "/v1/webhooks",
    operation_id = "createWebhook",
    tag = "webhooks",
    request_body = NewWebhook,
    responses(
        (status = 201, description = "created; it receives events from now on", body = Webhook),
        (status = 402, description = "the limit of the plan is reached"),
    )
)]
async fn create(
    State(webhooks): State<Arc<Webhooks>>,
    caller: Manager<WebhooksManage>,
    Body(body): Body<NewWebhook>,
) -> Result<(StatusCode, Tagged<Webhook>), ApiError> {
    let guard = &webhooks.guard;
    let wish = body.check(guard)?;
    guard.admit("url", &wish.url, caller.org_id).await?;
    let webhook = caller
        .write_org(async |org| webhooks.create(org, wish).await)
        .await?;
    Ok((StatusCode::CREATED, Tagged(webhook)))
}

/// Lists the webhooks of the organization.
#[utoipa::path(
    get,
    path = "/v1/webhooks",
    operation_id = "listWebhooks",
    tag = "webhooks",
    params(Page),
    responses(
        (status = 200, description = "a page, in creation order", body = Paged<Webhook>),
    )
)]
async fn list(
    caller: Manager<WebhooksManage>,
    page: Page,
) -> Result<Json<Paged<Webhook>>, ApiError> {
    let mut conn = caller.db.acquire().await?;
    Ok(Json(store::page(&mut conn, caller.org_id, page).await?))
}

/// Shows a webhook.
#[utoipa::path(
    get,
    path = "/v1/webhooks/{webhookID}",
    operation_id = "getWebhook",
    tag = "webhooks",
    params(("webhookID" = WebhookId, Path)),
    responses(
        (status = 200, description = "the webhook", body = Webhook),
        (status = 404, description = "unknown"),
    )
)]
async fn show(
    caller: Manager<WebhooksManage>,
    Path(id): Path<WebhookId>,
) -> Result<Tagged<Webhook>, ApiError> {
    Ok(Tagged(caller.webhook(id).await?))
}

/// Changes some fields of a webhook. Later deliveries use the new values.
#[utoipa::path(
    put,
    path = "/v1/webhooks/{webhookID}",
    operation_id = "updateWebhook",
    tag = "webhooks",
    params(("webhookID" = WebhookId, Path)),
    request_body = WebhookPatch,
    responses(
        (status = 200, description = "the webhook now", body = Webhook),
        (status = 404, description = "unknown"),
    )
)]
async fn update(
    State(webhooks): State<Arc<Webhooks>>,
    caller: Manager<WebhooksManage>,
    Path(id): Path<WebhookId>,
    if_match: IfMatch,
    body: RawBody,
) -> Result<Tagged<Webhook>, ApiError> {
    caller.webhook(id).await?;
    let expected = if_match.read()?;
    let guard = &webhooks.guard;
    let wish = body.parse::<WebhookPatch>().await?.check(guard)?;
    if let Some(url) = &wish.url {
        guard.admit("url", url, caller.org_id).await?;
    }
    let webhook = caller
        .write_org(async |org| webhooks.update(org, id, wish, &expected).await)
        .await?;
    Ok(Tagged(webhook))
}

/// Deletes a webhook, and ends its deliveries.
#[utoipa::path(
    delete,
    path = "/v1/webhooks/{webhookID}",
    operation_id = "deleteWebhook",
    tag = "webhooks",
    params(("webhookID" = WebhookId, Path)),
    responses(
        (status = 204, description = "deleted"),
        (status = 404, description = "unknown"),
    )
)]
async fn delete(
    caller: Manager<WebhooksManage>,
    Path(id): Path<WebhookId>,
    if_match: IfMatch,
) -> Result<StatusCode, ApiError> {
    caller.webhook(id).await?;
    let expected = if_match.read()?;
    caller
        .write_org(async |org| change::delete(org, id, &expected).await)
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lists how the last 50 deliveries to a webhook ended.
#[utoipa::path(
    get,
    path = "/v1/webhooks/{webhookID}/deliveries",
    operation_id = "listWebhookDeliveries",
    tag = "webhooks",
    params(("webhookID" = WebhookId, Path), Page),
    responses(
        (status = 200, description = "a page, the newest first", body = Paged<Delivery>),
        (status = 404, description = "unknown"),
    )
)]
async fn deliveries(
    caller: Manager<WebhooksManage>,
    Path(id): Path<WebhookId>,
    page: Page,
) -> Result<Json<Paged<Delivery>>, ApiError> {
    caller.webhook(id).await?;
    let mut conn = caller.db.acquire().await?;
    let deliveries = store::deliveries::page(&mut conn, caller.org_id, id, page).await?;
    Ok(Json(deliveries))
}

/// Shows a delivery with the body that was sent and more of the answer.
#[utoipa::path(
    get,
    path = "/v1/webhooks/{webhookID}/deliveries/{deliveryID}",
    operation_id = "getWebhookDelivery",
    tag = "webhooks",
    params(("webhookID" = WebhookId, Path), ("deliveryID" = WebhookDeliveryId, Path)),
    responses(
        (status = 200, description = "the delivery", body = DeliveryDetail),
        (status = 404, description = "unknown, or no longer listed"),
    )
)]
async fn delivery(
    State(webhooks): State<Arc<Webhooks>>,
    caller: Manager<WebhooksManage>,
    Path((id, delivery_id)): Path<(WebhookId, WebhookDeliveryId)>,
) -> Result<Json<DeliveryDetail>, ApiError> {
    caller.webhook(id).await?;
    let detail = webhooks.delivery(caller.org_id, id, delivery_id).await?;
    Ok(Json(detail))
}

#[derive(Serialize, ToSchema)]
struct TestQueued {
    message: &'static str,
}

/// Queues a test delivery, of type `webhook.test`. It is listed among the deliveries like any other.
#[utoipa::path(
    post,
    path = "/v1/webhooks/{webhookID}/test",
    operation_id = "testWebhook",
    tag = "webhooks",
    params(("webhookID" = WebhookId, Path)),
    responses(
        (status = 202, description = "queued", body = TestQueued),
        (status = 404, description = "unknown"),
    )
)]
async fn test(
    caller: Manager<WebhooksManage>,
    Path(id): Path<WebhookId>,
) -> Result<(StatusCode, Json<TestQueued>), ApiError> {
    let mut unit = caller.begin().await?;
    let mut org = unit.lock_org(&caller.clock).await?;
    change::test(&mut org, id).await?;
    unit.commit_unrecorded().await?;
    let message = "test delivery queued";
    Ok((StatusCode::ACCEPTED, Json(TestQueued { message })))
}

#[derive(Serialize, ToSchema)]
struct RedeliveryQueued {
    message: &'static str,
}

/// Sends a delivery again: the same body, under a new id. The new delivery names the old one in `redelivery_of`.
#[utoipa::path(
    post,
    path = "/v1/webhooks/{webhookID}/deliveries/{deliveryID}/redeliver",
    operation_id = "redeliverWebhookDelivery",
    tag = "webhooks",
    params(("webhookID" = WebhookId, Path), ("deliveryID" = WebhookDeliveryId, Path)),
    responses(
        (status = 202, description = "queued", body = RedeliveryQueued),
        (status = 404, description = "unknown, or no longer listed"),
        (status = 409, description = "disabled, waiting to be repeated already, its body no longer kept, or too much is waiting"),
    )
)]
async fn redeliver(
    State(webhooks): State<Arc<Webhooks>>,
    caller: Manager<WebhooksManage>,
    Path((id, delivery_id)): Path<(WebhookId, WebhookDeliveryId)>,
) -> Result<(StatusCode, Json<RedeliveryQueued>), ApiError> {
    let mut unit = caller.begin().await?;
    let mut org = unit.lock_org(&caller.clock).await?;
    webhooks.redeliver(&mut org, id, delivery_id).await?;
    unit.commit_unrecorded().await?;
    let message = "redelivery queued";
    Ok((StatusCode::ACCEPTED, Json(RedeliveryQueued { message })))
}

#[derive(Serialize, ToSchema)]
struct RedeliveriesQueued {
    message: &'static str,
    /// How many.
    queued: u64,
}

/// Sends again what failed since a time, unless it was repeated. Only listed deliveries can be sent again, at most as many as
/// may wait for the webhook.
#[utoipa::path(
    post,
    path = "/v1/webhooks/{webhookID}/redeliver",
    operation_id = "redeliverFailedWebhookDeliveries",
    tag = "webhooks",
    params(("webhookID" = WebhookId, Path)),
    request_body = Redelivery,
    responses(
        (status = 202, description = "queued", body = RedeliveriesQueued),
        (status = 404, description = "unknown"),
        (status = 409, description = "disabled, or too much is waiting"),
    )
)]
async fn redeliver_failed(
    State(webhooks): State<Arc<Webhooks>>,
    caller: Manager<WebhooksManage>,
    Path(id): Path<WebhookId>,
    body: RawBody,
) -> Result<(StatusCode, Json<RedeliveriesQueued>), ApiError> {
    caller.webhook(id).await?;
    let since = body.parse::<Redelivery>().await?.check()?;
    let mut unit = caller.begin().await?;
    let mut org = unit.lock_org(&caller.clock).await?;
    let queued = webhooks.redeliver_failed(&mut org, id, since).await?;
    unit.commit_unrecorded().await?;
    let message = "redeliveries queued";
    Ok((
        StatusCode::ACCEPTED,
        Json(RedeliveriesQueued { message, queued }),
    ))
}
