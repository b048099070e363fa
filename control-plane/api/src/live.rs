//! The endpoint of the stream.

use axum::{
    body::Body,
    extract::State,
    http::{HeaderMap, HeaderName, HeaderValue, header},
    response::Response,
};
use serving::{error::ApiError, layers::NO_STORE, listener::LongLived};

use crate::http::{AnyRole, Routes, endpoints};
use domain::roles::keys::NoKey;
use publish::live::Live;

const LAST_EVENT_ID: &str = "last-event-id";

pub fn router() -> Routes {
    endpoints![follow]
}

/// Streams the changes in the organization while the client stays connected and its token is valid.
///
/// `connected` comes first, then the events missed since `Last-Event-ID`, or `reset` if they are not known. Events name things and
/// carry no values: read the thing again. The data of each is JSON:
///
/// - `connected` `{org_id, position}`: the stream has begun.
/// - `change` `{action, resource_type, resource_id, project_id, env_id, actor_id, version, at}`: an entry of the audit log that the
///   caller may read. Of a flag, `version` is the newest of its history.
/// - `reset` `{}`: events were lost. Read everything again.
/// - `wave` `{env_id, version, committed_at, acknowledged: [{edge, after_ms}], lagging: [edge]}`: the propagation of a version of an
///   environment (`X-Snapshot-Version` of the write). Each event includes the one before; the last has an empty `lagging`, or comes
///   after ten seconds.
/// - `edges` `{changed: [name]}`: edges that connected, disconnected, or changed their connection, at most once a second.
/// - `usage` `{window: {evaluations_per_minute}, first_evaluation: {flag_key, env_id, at}}`: the rate of evaluations, every five seconds
///   while it changes. `first_evaluation` is present once, when the first evaluation of the organization was stored.
///
/// `wave` and `edges` are for owners and admins with `environments.read`, `usage` for those with `metrics.read`. These three have no
/// `id`, and are not repeated to a client that reconnects.
#[utoipa::path(
    get,
    path = "/v1/events",
    operation_id = "streamEvents",
    tag = "events",
    params(("Last-Event-ID" = Option<String>, Header, description = "The `id` of the last event that was received.", example = "01f4c09a")),
    responses(
        (
            status = 200,
            description = "events: `connected` at first, then `change`, `reset`, `wave`, `edges` and `usage`, and comments as heartbeats",
            body = String,
            content_type = "text/event-stream",
        ),
        (status = 429, description = "20 streams of the caller are open"),
    )
)]
async fn follow(
    State(live): State<Live>,
    caller: AnyRole<NoKey>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    // A header that is not text is not a position either.
    let last_seen = headers
        .get(LAST_EVENT_ID)
        .map(|value| value.to_str().unwrap_or("none"));
    let opened = live.open(&caller, last_seen).await?;
    let mut response = Response::new(Body::from_stream(live.events(opened)));
    response.extensions_mut().insert(LongLived);
    let headers = response.headers_mut();
    let event_stream = HeaderValue::from_static("text/event-stream");
    headers.insert(header::CONTENT_TYPE, event_stream);
    headers.insert(header::CACHE_CONTROL, NO_STORE);
    let unbuffered = HeaderName::from_static("x-accel-buffering");
    headers.insert(unbuffered, HeaderValue::from_static("no"));
    Ok(response)
}
