//! Callbacks of payment gateways, and of browsers that return from one. Callers are not signed in: signatures decide.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode, header::LOCATION},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use serving::{body::AnyBody, clock::Clock, error::ApiError};
use utoipa::ToSchema;

use crate::http::rates::GatewayCaller;
use domain::billing::{
    Billing, Received,
    gateways::{
        form::Callback,
        redirect::{event::Envelope, signature},
    },
};

/// The largest form of a callback.
const MAX_FORM: usize = 64 * 1024;
/// The largest event.
const MAX_EVENT: usize = 512 * 1024;

/// The headers that may carry the signature of an event: the contract's, and Stripe's own.
const SIGNATURES: [&str; 2] = ["gateway-redirect-signature", "stripe-signature"];

/// Takes the outcome of a checkout by form, and redirects the payer to the dashboard. Its hash is checked; anything but a genuine
/// payment changes nothing.
#[utoipa::path(
    post,
    path = "/v1/billing/gateway_form/callback",
    operation_id = "receiveFormPayment",
    tag = "billing",
    security(()),
    request_body(content_type = "application/x-www-form-urlencoded", content = String),
    responses(
        (status = 303, description = "redirects to the dashboard, with `status=success` or `status=failed`"),
        (status = 400, description = "the body is malformed JSON, or holds a NUL"),
        (status = 415, description = "the body is neither a form nor JSON"),
    )
)]
pub(super) async fn form_callback(
    State(billing): State<Arc<Billing>>,
    client: GatewayCaller,
    body: AnyBody<MAX_FORM>,
) -> Result<Response, ApiError> {
    let callback = rated(&billing, &client, callback(&body)?)?;
    let next = billing.take_callback(&callback).await?;
    Ok(on_to(next))
}

/// Redirects a payer whose payment failed to the dashboard. Changes nothing.
#[utoipa::path(
    post,
    path = "/v1/billing/gateway_form/failure",
    operation_id = "receiveFormFailure",
    tag = "billing",
    security(()),
    request_body(content_type = "application/x-www-form-urlencoded", content = String),
    responses(
        (status = 303, description = "redirects to the dashboard, with `status=failed`"),
        (status = 400, description = "the body is malformed JSON, or holds a NUL"),
        (status = 415, description = "the body is neither a form nor JSON"),
    )
)]
pub(super) async fn form_failure(
    State(billing): State<Arc<Billing>>,
    client: GatewayCaller,
    body: AnyBody<MAX_FORM>,
) -> Result<Response, ApiError> {
    let callback = rated(&billing, &client, callback(&body)?)?;
    let next = billing.take_failure(&callback).await?;
    Ok(on_to(next))
}

fn callback(body: &AnyBody<MAX_FORM>) -> Result<Callback, ApiError> {
    let callback = match body.media_type.as_str() {
        "application/json" => Callback::from_json(&body.bytes)
            .map_err(|error| ApiError::bad_request(format!("malformed JSON: {error}")))?,
        "application/x-www-form-urlencoded" => Callback::from_form(&body.bytes),
        _ if body.bytes.is_empty() => Callback::from_form(&[]),
        _ => {
            return Err(ApiError::unsupported_media_type(
                "content type must be application/x-www-form-urlencoded or application/json",
            ));
        }
    };
    if callback.has_nul() {
        return Err(ApiError::bad_request(
            "text must not contain NUL characters",
        ));
    }
    Ok(callback)
}

/// Counts unauthentic calls against the rate of their address.
fn rated(
    billing: &Billing,
    client: &GatewayCaller,
    callback: Callback,
) -> Result<Callback, ApiError> {
    if !billing.is_genuine(&callback) {
        client.is_unsigned()?;
    }
    Ok(callback)
}

fn on_to(address: String) -> Response {
    (StatusCode::SEE_OTHER, [(LOCATION, address)]).into_response()
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PaymentEventAnswer)]
pub(super) struct EventAnswer {
    /// `ok`, `already_processed`, or `ignored` for other types.
    status: &'static str,
}

/// Takes an event of the redirect gateway.
#[utoipa::path(
    post,
    path = "/v1/billing/gateway_redirect/webhook",
    operation_id = "receiveRedirectEvent",
    tag = "billing",
    security(()),
    params((
        "Gateway-Redirect-Signature" = String,
        Header,
        description = "`t=<unix seconds>,v1=<hex>`: HMAC-SHA-256 of `<t>.<body>`, at most five minutes old",
    )),
    request_body(content_type = "application/json", content = String),
    responses(
        (status = 200, description = "processed now or before, or ignored", body = EventAnswer),
        (status = 400, description = "a bad, missing or stale signature, or no event"),
        (status = 415, description = "the body is not JSON"),
        (status = 503, description = "the gateway is not configured"),
    )
)]
pub(super) async fn event(
    State(billing): State<Arc<Billing>>,
    State(clock): State<Clock>,
    client: GatewayCaller,
    headers: HeaderMap,
    body: AnyBody<MAX_EVENT>,
) -> Result<Json<EventAnswer>, ApiError> {
    if !matches!(body.media_type.as_str(), "application/json" | "") {
        return Err(ApiError::unsupported_media_type(
            "content type must be application/json",
        ));
    }
    let secret = billing.webhook_secret()?;
    let header = SIGNATURES.iter().find_map(|name| headers.get(*name));
    let header = header.and_then(|value| value.to_str().ok());
    let now = clock.now();
    if !signature::is_genuine(header.unwrap_or_default(), &body.bytes, secret, now) {
        client.is_unsigned()?;
        return Err(ApiError::bad_request("invalid signature"));
    }
    let envelope = Envelope::parse(&body.bytes)
        .ok_or_else(|| ApiError::bad_request("the body is no event"))?;
    let status = match billing.take_event(&envelope).await? {
        Received::Done => "ok",
        Received::Repeated => "already_processed",
        Received::Ignored => "ignored",
    };
    Ok(Json(EventAnswer { status }))
}
