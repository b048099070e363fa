//! The id of a request, and the span to which everything it logs belongs.
//!
//! The span has the matched route, never the URL as sent: paths and queries can contain keys.

use axum::{
    extract::{MatchedPath, Request},
    http::{HeaderName, HeaderValue, Method},
    response::Response,
};
use futures_util::{FutureExt, future::Either};
use opentelemetry::{
    Context,
    trace::{FutureExt as _, TraceContextExt},
};
use tokio::time::Instant;
use tracing::{Instrument, debug, debug_span, error};
use uuid::Uuid;

use crate::{error::Fault, telemetry::requests::answered, trace};

/// The header that carries a request's id, in both directions.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

const MAX_LENGTH: usize = 128;

/// The caller's id if it is valid, or else a new one.
fn id_of(request: &Request) -> HeaderValue {
    let kept = request.headers().get(REQUEST_ID).filter(|id| is_sane(id));
    kept.cloned().unwrap_or_else(|| {
        let mut text = Uuid::encode_buffer();
        let id = Uuid::new_v4().hyphenated().encode_lower(&mut text);
        HeaderValue::from_str(id).expect("a UUID is printable ASCII")
    })
}

/// Printable ASCII of 1 to 128 characters.
fn is_sane(id: &HeaderValue) -> bool {
    let id = id.as_bytes();
    (1..=MAX_LENGTH).contains(&id.len()) && id.iter().all(|byte| (b' '..=b'~').contains(byte))
}

/// A request that is being answered: it has its id, and is traced and counted.
pub(super) struct Observed {
    id: HeaderValue,
    method: Method,
    route: Route,
    started: Instant,
    /// Its place in a trace, if it has one.
    context: Option<Context>,
}

/// What a request matched.
pub(super) enum Route {
    Template(&'static str),
    Matched(MatchedPath),
    Unknown,
}

impl Route {
    /// What the router matched.
    pub(super) fn of(request: &Request) -> Self {
        let matched = request.extensions().get::<MatchedPath>().cloned();
        matched.map_or(Self::Unknown, Self::Matched)
    }

    fn template(&self) -> Option<&str> {
        match self {
            Self::Template(template) => Some(template),
            Self::Matched(path) => Some(path.as_str()),
            Self::Unknown => None,
        }
    }

    fn name(&self) -> &str {
        self.template().unwrap_or("unknown")
    }
}

impl Observed {
    pub(super) fn begin(request: &Request, route: Route) -> Self {
        let (headers, method) = (request.headers(), request.method());
        Self {
            id: id_of(request),
            context: trace::of_request(headers, method, route.template()),
            method: method.clone(),
            route,
            started: Instant::now(),
        }
    }

    /// Waits for the answer, and adds the id to it.
    pub(super) fn end(
        self,
        answer: impl Future<Output = Response>,
    ) -> impl Future<Output = Response> {
        let (id, method, route) = (shown(&self.id), &self.method, self.route.name());
        let span = debug_span!("request", request.id = id, %method, route);
        let context = self.context.clone();
        let answer = answer.map(|answer| self.finish(answer)).instrument(span);
        match context {
            Some(context) => Either::Left(answer.with_context(context)),
            None => Either::Right(answer),
        }
    }

    fn finish(self, mut answer: Response) -> Response {
        let took = self.started.elapsed();
        debug!(
            status = answer.status().as_u16(),
            duration_ms = took.as_secs_f64() * 1_000.0,
            "answered"
        );
        let span = self.context.as_ref().map(Context::span);
        let recorded = span.as_ref().filter(|span| span.is_recording());
        let trace_id = recorded.map(|span| span.span_context().trace_id());
        let (template, status) = (self.route.template(), answer.status());
        answered(template, &self.method, status, took, trace_id);
        if let Some(span) = span {
            trace::answered(&span, status);
        }
        if let Some(Fault(error)) = answer.extensions_mut().remove() {
            // Spans are off at the default level: the line itself has to name the request it is about.
            let (id, method, route) = (shown(&self.id), &self.method, self.route.name());
            error!(request.id = id, %method, route, error = &*error, "request failed");
        }
        answer.headers_mut().insert(REQUEST_ID, self.id);
        answer
    }
}

fn shown(id: &HeaderValue) -> &str {
    id.to_str().expect("only printable ASCII is kept")
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
        id_of(&request).to_str().unwrap().to_owned()
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
