//! The endpoint of the stream.

use axum::{
    body::Body,
    extract::State,
    http::{HeaderMap, HeaderName, HeaderValue, header},
    response::Response,
};
use serving::{error::ApiError, layers::NO_STORE, listener::LongLived};
use utoipa_axum::router::OpenApiRouter;

use crate::{
    http::{access::AnyRole, endpoints},
    roles::keys::NoKey,
    state::AppState,
};

const LAST_EVENT_ID: &str = "last-event-id";

pub fn router() -> OpenApiRouter<AppState> {
    endpoints![follow]
}

/// Tells what changes in the organization, for as long as the client stays and its token is good.
///
/// `connected` comes first, then what was missed since `Last-Event-ID`, or `reset` where nobody knows; then a `change` for each
/// entry of the audit trail that the caller may know of. Events name things and carry no values.
#[utoipa::path(
    get,
    path = "/v1/events",
    operation_id = "streamEvents",
    tag = "events",
    params(("Last-Event-ID" = Option<String>, Header, description = "The `id` of the last event that was received.", example = "742:742:/4f1d9bd28e0b4c579a430d4f0c6c4f0e")),
    responses(
        (
            status = 200,
            description = "events: `connected` at first, then `change` and `reset`, and comments as heartbeats",
            body = String,
            content_type = "text/event-stream",
        ),
        (status = 429, description = "20 streams of the caller are open"),
    )
)]
async fn follow(
    State(state): State<AppState>,
    caller: AnyRole<NoKey>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    // What is no text is no position either.
    let last_seen = headers
        .get(LAST_EVENT_ID)
        .map(|value| value.to_str().unwrap_or("none"));
    let opened = state.live.open(&caller, last_seen).await?;
    let mut response = Response::new(Body::from_stream(state.live.events(opened)));
    response.extensions_mut().insert(LongLived);
    let headers = response.headers_mut();
    let event_stream = HeaderValue::from_static("text/event-stream");
    headers.insert(header::CONTENT_TYPE, event_stream);
    headers.insert(header::CACHE_CONTROL, NO_STORE);
    let unbuffered = HeaderName::from_static("x-accel-buffering");
    headers.insert(unbuffered, HeaderValue::from_static("no"));
    Ok(response)
}
