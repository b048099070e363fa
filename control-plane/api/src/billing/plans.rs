//! Prices of plans, and checkouts.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    http::{HeaderName, HeaderValue, header::CACHE_CONTROL},
};
use serde::Serialize;
use serving::{body::Body, error::ApiError, params::Query};
use utoipa::ToSchema;

use crate::http::{BySession, Owner};
use domain::{
    billing::{
        Billing, Checkout,
        input::{CheckoutQuery, GatewayChoice, ReturnPath},
        model::Gateway,
        pricing::Pricing,
    },
    roles::keys::BillingManage,
};

/// Public, and seldom changed.
const FOR_AN_HOUR: (HeaderName, HeaderValue) = (
    CACHE_CONTROL,
    HeaderValue::from_static("public, max-age=3600"),
);

/// Shows the price and the limits of each plan.
#[utoipa::path(
    get,
    path = "/v1/pricing",
    operation_id = "getPricing",
    tag = "billing",
    security(()),
    responses((status = 200, description = "the plans", body = Pricing))
)]
pub(super) async fn pricing(
    State(billing): State<Arc<Billing>>,
) -> ([(HeaderName, HeaderValue); 1], Json<Pricing>) {
    ([FOR_AN_HOUR], Json(billing.pricing()))
}

/// Begins a checkout of Pro through the organization's gateway: a page that the payer is redirected to, or a form that the
/// payer's browser posts to the gateway.
#[utoipa::path(
    post,
    path = "/v1/billing/checkout",
    operation_id = "createCheckout",
    tag = "billing",
    params((
        "return_url" = Option<String>,
        Query,
        description = "the page of the dashboard that the payer returns to: `/settings/billing` (default) or `/onboarding`",
    )),
    responses(
        (status = 200, description = "where to pay", body = Checkout),
        (status = 409, description = "there is an active subscription, or the plan is Enterprise"),
        (status = 429, description = "too many checkouts were begun within the hour"),
        (status = 502, description = "the gateway failed"),
        (status = 503, description = "the gateway is not configured, or busy"),
    )
)]
pub(super) async fn check_out(
    State(billing): State<Arc<Billing>>,
    caller: BySession<Owner<BillingManage>>,
    Query(query): Query<CheckoutQuery>,
) -> Result<Json<Checkout>, ApiError> {
    let return_path = ReturnPath::parse(query.return_url.as_deref())?;
    Ok(Json(billing.check_out(&caller, return_path).await?))
}

#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ChosenGateway {
    gateway: Gateway,
}

/// Chooses the gateway of the next checkout. A running subscription keeps its own.
#[utoipa::path(
    put,
    path = "/v1/billing/gateway",
    operation_id = "chooseGateway",
    tag = "billing",
    request_body = GatewayChoice,
    responses((status = 200, description = "chosen", body = ChosenGateway))
)]
pub(super) async fn choose(
    caller: BySession<Owner<BillingManage>>,
    Body(body): Body<GatewayChoice>,
) -> Result<Json<ChosenGateway>, ApiError> {
    let gateway = body.check()?;
    let gateway = caller
        .write_org(async |org| Ok(domain::billing::choose_gateway(org, gateway).await?))
        .await?;
    Ok(Json(ChosenGateway { gateway }))
}
