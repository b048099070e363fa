//! The OpenFeature Remote Evaluation Protocol, so that every OpenFeature SDK works without code of ours.
//!
//! The same evaluations as on the native paths, under other names: `answer` maps the reasons, `refusal` the errors.
//! Answers of 401, 403, 429, 503 and to requests that never reach evaluation are the native ones, since the protocol
//! defines no body for them; 400 and 404 are the protocol's.

mod answer;
mod evaluate;
mod event_stream;
mod refusal;
mod request;
mod sender;

use std::net::SocketAddr;

use axum::{body::Body, http::request::Parts, response::Response};
use serving::body::RawBody;
use utoipa_axum::{router::OpenApiRouter, routes};

use self::{event_stream::Origin, refusal::Refusal, sender::Sender};
use super::{etag::Known, named::Named};
use crate::Edge;

const STREAM: &str = "/ofrep/v1/stream";

/// The paths of the protocol, and the stream that its answers refer to.
pub(super) fn router() -> OpenApiRouter<Edge> {
    OpenApiRouter::new()
        .routes(routes!(evaluate::bulk))
        .routes(routes!(evaluate::single))
        .routes(routes!(event_stream::open))
}

/// Answers a request about one flag that was matched already, as the router would.
pub(super) async fn one(edge: &Edge, peer: SocketAddr, head: Parts, body: Body) -> Response {
    let sender = match Sender::of(&head, peer, edge).await {
        Ok(sender) => sender,
        Err(refusal) => return refusal,
    };
    let flag_key = Named::of(&head);
    let body = RawBody::of(head, body).await;
    evaluate::one(edge, sender, flag_key, body).await
}

/// The same about all flags.
pub(super) async fn all(edge: &Edge, peer: SocketAddr, head: Parts, body: Body) -> Response {
    let sender = match Sender::of(&head, peer, edge).await {
        Ok(sender) => sender,
        Err(refusal) => return refusal,
    };
    let (origin, known) = (Origin::of(&head, peer, edge), Known::of(&head.headers));
    let body = RawBody::of(head, body).await;
    evaluate::all(edge, sender, &origin, &known, body).await
}
