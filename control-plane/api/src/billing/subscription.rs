//! The organization's subscription, and its usage of the plan.

use std::sync::Arc;

use axum::{Json, extract::State};
use serde::Serialize;
use serving::{body::RawBody, error::ApiError};
use utoipa::ToSchema;

use crate::http::{AnyRole, BySession, Owner};
use domain::{
    billing::{
        Billing,
        input::RawCancellation,
        model::{SubscriptionReport, UsageReport},
        store::{orgs, subscriptions},
    },
    roles::keys::{BillingManage, BillingRead},
};

/// Shows the subscription, and the limits of the plan.
#[utoipa::path(
    get,
    path = "/v1/billing/subscription",
    operation_id = "getSubscription",
    tag = "billing",
    responses((status = 200, description = "the subscription", body = SubscriptionReport))
)]
pub(super) async fn show(
    caller: AnyRole<BillingRead>,
) -> Result<Json<SubscriptionReport>, ApiError> {
    let mut conn = caller.db.begin_reading().await?;
    let plan_use = orgs::get_plan_use(&mut conn, caller.org_id, caller.clock.now()).await?;
    let current = subscriptions::find_current(&mut conn, caller.org_id).await?;
    Ok(Json(plan_use.subscription(current.as_ref())))
}

/// Shows how much of the plan's limits is used.
#[utoipa::path(
    get,
    path = "/v1/billing/usage",
    operation_id = "getPlanUsage",
    tag = "billing",
    responses((status = 200, description = "the usage", body = UsageReport))
)]
pub(super) async fn usage(caller: AnyRole<BillingRead>) -> Result<Json<UsageReport>, ApiError> {
    let mut conn = caller.db.acquire().await?;
    let plan_use = orgs::get_plan_use(&mut conn, caller.org_id, caller.clock.now()).await?;
    Ok(Json(plan_use.usage()))
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CanceledSubscription)]
pub(super) struct Canceled {
    /// `canceled`, also if access continues until the end of the period.
    status: &'static str,
}

/// Cancels the subscription with its period, or at once; where there are several, all of them.
#[utoipa::path(
    post,
    path = "/v1/billing/cancel",
    operation_id = "cancelSubscription",
    tag = "billing",
    request_body = RawCancellation,
    responses(
        (status = 200, description = "canceled", body = Canceled),
        (status = 404, description = "there is no active subscription"),
        (status = 409, description = "the gateway has not named the subscription yet"),
        (status = 502, description = "the gateway failed; the cancellation is checked later"),
        (status = 503, description = "the gateway is not configured, or busy"),
    )
)]
pub(super) async fn cancel(
    State(billing): State<Arc<Billing>>,
    caller: BySession<Owner<BillingManage>>,
    body: RawBody,
) -> Result<Json<Canceled>, ApiError> {
    let refusal = "gateway_form subscriptions cannot be canceled through the API";
    let subscriptions = billing.manageable(&caller, refusal).await?;
    let cancellation = body.parse::<RawCancellation>().await?.check();
    billing
        .cancel(&caller, &subscriptions, cancellation)
        .await?;
    Ok(Json(Canceled { status: "canceled" }))
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BillingPortal)]
pub(super) struct Portal {
    /// The address of the portal.
    url: String,
}

/// Opens the gateway's portal, where the payer changes the payment method.
#[utoipa::path(
    post,
    path = "/v1/billing/portal",
    operation_id = "openBillingPortal",
    tag = "billing",
    responses(
        (status = 200, description = "opened", body = Portal),
        (status = 400, description = "the subscription is of another gateway"),
        (status = 404, description = "there is no active subscription"),
        (status = 409, description = "the gateway has not named the payer yet"),
        (status = 502, description = "the gateway failed"),
        (status = 503, description = "the gateway is not configured, or busy"),
    )
)]
pub(super) async fn portal(
    State(billing): State<Arc<Billing>>,
    caller: BySession<Owner<BillingManage>>,
) -> Result<Json<Portal>, ApiError> {
    let refusal = "the subscription is not managed by gateway_redirect";
    let subscriptions = billing.manageable(&caller, refusal).await?;
    let url = billing.open_portal(&caller, &subscriptions).await?;
    Ok(Json(Portal { url }))
}
