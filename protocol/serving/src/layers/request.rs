//! The id of a request, and the span to which everything it logs belongs.
//!
//! The span has the matched route, never the URL as sent: paths and queries can contain keys.

use axum::{
    extract::{MatchedPath, Request},
    http::{HeaderName, HeaderValue},
    middleware::Next,
    response::Response,
};
use tokio::time::Instant;
use tracing::{Instrument, debug, debug_span, error};
use uuid::Uuid;

use crate::{error::Fault, telemetry::requests::answered};

/// The header that carries a request's id, in both directions.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

const MAX_LENGTH: usize = 128;

/// The id of the request being answered, kept in the request's extensions.
#[derive(Clone, Debug)]
pub struct RequestId(HeaderValue);

impl RequestId {
    /// Keeps the caller's id if it is valid, or else generates one.
    fn of(request: &Request) -> Self {
        let kept = request.headers().get(REQUEST_ID).filter(|id| is_sane(id));
        Self(kept.cloned().unwrap_or_else(|| {
            HeaderValue::from_str(&Uuid::new_v4().to_string()).expect("a UUID is printable ASCII")
        }))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        self.0.to_str().expect("only printable ASCII is kept")
    }
}

/// Printable ASCII of 1 to 128 characters.
fn is_sane(id: &HeaderValue) -> bool {
    let id = id.as_bytes();
    (1..=MAX_LENGTH).contains(&id.len()) && id.iter().all(|byte| (b' '..=b'~').contains(byte))
}

/// Gives the request its id, traces and counts it, and adds the id to the answer.
pub(super) async fn observe(mut request: Request, next: Next) -> Response {
    let id = RequestId::of(&request);
    let method = request.method().clone();
    let matched = request.extensions().get::<MatchedPath>().cloned();
    let matched = matched.as_ref().map(MatchedPath::as_str);
    let route = matched.unwrap_or("unknown");
    let span = debug_span!("request", request.id = id.as_str(), %method, route);
    request.extensions_mut().insert(id.clone());

    let started = Instant::now();
    let mut response = async {
        let response = next.run(request).await;
        debug!(
            status = response.status().as_u16(),
            duration_ms = started.elapsed().as_secs_f64() * 1_000.0,
            "answered"
        );
        response
    }
    .instrument(span)
    .await;
    answered(matched, &method, response.status(), started.elapsed());
    if let Some(Fault(error)) = response.extensions_mut().remove() {
        // Spans are off at the default level: the line itself has to name the request it is about.
        error!(request.id = id.as_str(), %method, route, error = &*error, "request failed");
    }
    response.headers_mut().insert(REQUEST_ID, id.0);
    response
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn id_for(value: Option<&[u8]>) -> String {
        let mut request = Request::new(Body::empty());
        if let Some(value) = value {
            let value = HeaderValue::from_bytes(value).unwrap();
            request.headers_mut().insert(REQUEST_ID, value);
        }
        RequestId::of(&request).as_str().to_owned()
    }

    #[test]
    fn a_sane_id_is_kept() {
        assert_eq!(id_for(Some(b"checkout 42/a")), "checkout 42/a");
        let longest = [b'a'; MAX_LENGTH];
        assert_eq!(id_for(Some(&longest)).len(), MAX_LENGTH);
    }

    #[test]
    fn any_other_is_replaced() {
        let too_long = [b'a'; MAX_LENGTH + 1];
        for value in [
            None,
            Some(&b""[..]),
            Some(b"a\tb"),
            Some(b"\xff"),
            Some(&too_long),
        ] {
            assert!(Uuid::parse_str(&id_for(value)).is_ok(), "{value:?}");
        }
    }
}
