//! The OpenFeature Remote Evaluation Protocol, so that every OpenFeature SDK works without code of ours.
//!
//! The same evaluations as on the native paths, under other names: `answer` maps the reasons, `refusal` the errors.
//! Answers of 401, 403, 429, 503 and to requests that never reach evaluation are the native ones, since the protocol
//! defines no body for them; 400 and 404 are the protocol's.

mod answer;
pub(super) mod evaluate;
mod event_stream;
mod refusal;
mod request;
mod sender;

use utoipa_axum::{router::OpenApiRouter, routes};

use self::{refusal::Refusal, sender::Sender};
use super::door::Door;

const STREAM: &str = "/ofrep/v1/stream";

/// The paths of the protocol, and the stream that its answers refer to.
pub(super) fn router() -> OpenApiRouter<Door> {
    OpenApiRouter::new()
        .routes(routes!(evaluate::bulk))
        .routes(routes!(evaluate::single))
        .routes(routes!(event_stream::open))
}
