//! The endpoints of webhooks.

use axum::{Json, extract::State, http::StatusCode};
use serde::Serialize;
use serving::{
    body::{Body, RawBody},
    error::ApiError,
    page::{Page, Paged},
    params::Path,
};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;

use crate::{
    http::{
        access::Manager,
        endpoints,
        tags::{IfMatch, Tagged},
    },
    state::AppState,
};
use base::ids::WebhookId;
use domain::{
    roles::keys::WebhooksManage,
    webhooks::{
        change,
        input::{NewWebhook, WebhookPatch},
        model::{Delivery, Webhook},
        store,
    },
};

pub fn router() -> OpenApiRouter<AppState> {
    endpoints![create, list, show, update, delete, deliveries, test]
}

/// Creates a webhook.
#[utoipa::path(
    post,
    path = "/v1/webhooks",
    operation_id = "createWebhook",
    tag = "webhooks",
    request_body = NewWebhook,
    responses(
        (status = 201, description = "created; it is told of changes from now on", body = Webhook),
        (status = 402, description = "the limit of the plan is reached"),
    )
)]
async fn create(
    State(state): State<AppState>,
    caller: Manager<WebhooksManage>,
    Body(body): Body<NewWebhook>,
) -> Result<(StatusCode, Tagged<Webhook>), ApiError> {
    let guard = &state.webhooks.guard;
    let wish = body.check(guard)?;
    guard.admit("url", &wish.url, caller.org_id).await?;
    let mut unit = state.begin(&caller).await?;
    let mut org = unit.lock_org(&state.clock).await?;
    let created = state.webhooks.create(&mut org, wish).await?;
    let (_, webhook) = state.commit(caller.wait, unit, created).await?;
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
    State(state): State<AppState>,
    caller: Manager<WebhooksManage>,
    page: Page,
) -> Result<Json<Paged<Webhook>>, ApiError> {
    let mut conn = state.db.acquire().await?;
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
    State(state): State<AppState>,
    caller: Manager<WebhooksManage>,
    Path(id): Path<WebhookId>,
) -> Result<Tagged<Webhook>, ApiError> {
    Ok(Tagged(state.webhook(&caller, id).await?))
}

/// Changes some fields of a webhook. What is delivered from now on is delivered to what it is then.
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
    State(state): State<AppState>,
    caller: Manager<WebhooksManage>,
    Path(id): Path<WebhookId>,
    if_match: IfMatch,
    body: RawBody,
) -> Result<Tagged<Webhook>, ApiError> {
    state.webhook(&caller, id).await?;
    let expected = if_match.read()?;
    let guard = &state.webhooks.guard;
    let wish = body.parse::<WebhookPatch>().await?.check(guard)?;
    if let Some(url) = &wish.url {
        guard.admit("url", url, caller.org_id).await?;
    }
    let mut unit = state.begin(&caller).await?;
    let mut org = unit.lock_org(&state.clock).await?;
    let updated = state.webhooks.update(&mut org, id, wish, &expected).await?;
    let (_, webhook) = state.commit(caller.wait, unit, updated).await?;
    Ok(Tagged(webhook))
}

/// Deletes a webhook. Nothing more is delivered to it.
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
    State(state): State<AppState>,
    caller: Manager<WebhooksManage>,
    Path(id): Path<WebhookId>,
    if_match: IfMatch,
) -> Result<StatusCode, ApiError> {
    state.webhook(&caller, id).await?;
    let expected = if_match.read()?;
    let mut unit = state.begin(&caller).await?;
    let mut org = unit.lock_org(&state.clock).await?;
    let deleted = change::delete(&mut org, id, &expected).await?;
    state.commit(caller.wait, unit, deleted).await?;
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
    State(state): State<AppState>,
    caller: Manager<WebhooksManage>,
    Path(id): Path<WebhookId>,
    page: Page,
) -> Result<Json<Paged<Delivery>>, ApiError> {
    state.webhook(&caller, id).await?;
    let mut conn = state.db.acquire().await?;
    let deliveries = store::deliveries::page(&mut conn, caller.org_id, id, page).await?;
    Ok(Json(deliveries))
}

#[derive(Serialize, ToSchema)]
struct TestQueued {
    message: &'static str,
}

/// Queues a test delivery, of type `webhook.test`. It ends among the deliveries like any other.
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
    State(state): State<AppState>,
    caller: Manager<WebhooksManage>,
    Path(id): Path<WebhookId>,
) -> Result<(StatusCode, Json<TestQueued>), ApiError> {
    let mut unit = state.begin(&caller).await?;
    let mut org = unit.lock_org(&state.clock).await?;
    change::test(&mut org, id).await?;
    unit.commit_unrecorded().await?;
    let message = "test delivery queued";
    Ok((StatusCode::ACCEPTED, Json(TestQueued { message })))
}
