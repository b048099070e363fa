//! What SDKs fetch that evaluate in their own process, and where they report what they counted (docs/protocol.md, "SDKs").
//!
//! Only servers may hold an environment: its rules and segments are not for browsers.

mod format;
mod snapshot;
mod stream;
mod usage;

use axum::{
    extract::FromRequestParts,
    http::request::Parts,
    response::{IntoResponse, Response},
};
use protocol::api_key::SERVER_PREFIX;
use serving::error::ApiError;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    Caller,
    caller::{API_KEY, unauthorized},
    door::Door,
};

/// The paths of SDKs.
pub(super) fn router() -> OpenApiRouter<Door> {
    OpenApiRouter::new()
        .routes(routes!(snapshot::snapshot))
        .routes(routes!(stream::stream))
        .routes(routes!(usage::report))
}

/// A caller with the key of a server, which it sends in the header; or anybody, where anybody is served.
struct Server(Caller);

impl FromRequestParts<Door> for Server {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, door: &Door) -> Result<Self, Response> {
        if door.edge.parts().settings.anybody.is_some() {
            return Caller::from_request_parts(parts, door).await.map(Self);
        }
        let key = parts.headers.get(API_KEY);
        let Some(key) = key.map(|key| key.as_bytes().to_vec()) else {
            return Err(unauthorized().into_response());
        };
        let caller = Caller::from_request_parts(parts, door).await?;
        if key.starts_with(SERVER_PREFIX.as_bytes()) {
            return Ok(Self(caller));
        }
        let refusal = ApiError::forbidden("a server API key is required");
        Err(caller.answer(Err(refusal)))
    }
}
