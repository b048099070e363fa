//! The context in headers, as in W3C Trace Context, both ways. `baggage` is neither read nor sent.

use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use opentelemetry::{
    Context, KeyValue,
    propagation::{Extractor, Injector, TextMapPropagator},
    trace::{SpanKind, SpanRef, Status, TraceContextExt},
};
use opentelemetry_sdk::propagation::TraceContextPropagator;

use super::{Described, begin, current};

const PARENT: HeaderName = HeaderName::from_static("traceparent");
/// Longer ones are ignored. Version 0 has 55 bytes.
const LONGEST_PARENT: usize = 128;
/// What others have to pass on at least.
const LONGEST_STATE: usize = 512;

/// The context in which a request is answered: below its caller's, if that came along; with a span, if that is recorded.
pub(crate) fn of_request(
    headers: &HeaderMap,
    method: &Method,
    route: Option<&str>,
) -> Option<Context> {
    let caller = of_caller(headers);
    let span = begin(caller.as_ref(), SpanKind::Server, || {
        let is_known = matches!(
            *method,
            Method::GET
                | Method::HEAD
                | Method::POST
                | Method::PUT
                | Method::PATCH
                | Method::DELETE
                | Method::OPTIONS
        );
        let (method, name) = if is_known {
            (method.as_str(), method.as_str())
        } else {
            ("_OTHER", "HTTP")
        };
        let mut attributes = vec![
            KeyValue::new("http.request.method", method.to_owned()),
            KeyValue::new("url.scheme", "http"),
        ];
        let name = match route {
            Some(route) => {
                attributes.push(KeyValue::new("http.route", route.to_owned()));
                format!("{name} {route}")
            }
            None => name.to_owned(),
        };
        Described {
            name: name.into(),
            attributes,
        }
    });
    span.or(caller)
}

fn of_caller(headers: &HeaderMap) -> Option<Context> {
    let parent = headers.get(PARENT)?;
    if parent.len() > LONGEST_PARENT {
        return None;
    }
    let context = TraceContextPropagator::new().extract_with_context(&Context::new(), &In(headers));
    context.has_active_span().then_some(context)
}

/// A request was answered.
pub(crate) fn answered(span: &SpanRef<'_>, status: StatusCode) {
    let code = i64::from(status.as_u16());
    span.set_attribute(KeyValue::new("http.response.status_code", code));
    if status.is_server_error() {
        span.set_attribute(KeyValue::new("error.type", status.as_str().to_owned()));
        span.set_status(Status::error(""));
    }
    span.end();
}

/// Adds the current context, if there is one, to the headers of a call.
pub fn inject(headers: &mut HeaderMap) {
    if let Some(context) = current() {
        TraceContextPropagator::new().inject_context(&context, &mut Out(headers));
    }
}

struct In<'a>(&'a HeaderMap);

impl Extractor for In<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        let value = self.0.get(key)?.to_str().ok()?;
        (value.len() <= LONGEST_STATE).then_some(value)
    }

    fn keys(&self) -> Vec<&str> {
        Vec::new()
    }
}

struct Out<'a>(&'a mut HeaderMap);

impl Injector for Out<'_> {
    fn set(&mut self, key: &str, value: String) {
        let name = HeaderName::from_bytes(key.as_bytes());
        if let (false, Ok(name), Ok(value)) = (
            value.is_empty(),
            name,
            HeaderValue::try_from(value.as_str()),
        ) {
            self.0.insert(name, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALID: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";

    fn caller(parent: &str, state: &str) -> Option<(String, Option<String>)> {
        let mut headers = HeaderMap::new();
        headers.insert(PARENT, HeaderValue::from_str(parent).unwrap());
        headers.insert("tracestate", HeaderValue::from_str(state).unwrap());
        let _attached = of_caller(&headers)?.attach();
        let mut sent = HeaderMap::new();
        inject(&mut sent);
        let text = |name| Some(sent.get(name)?.to_str().unwrap().to_owned());
        Some((text("traceparent")?, text("tracestate")))
    }

    #[test]
    fn a_callers_context_is_passed_on() {
        let kept = (VALID.to_owned(), Some("a=1".to_owned()));
        assert_eq!(caller(VALID, "a=1"), Some(kept));
        for state in ["", "nonsense", &"a=1,".repeat(200)] {
            assert_eq!(caller(VALID, state), Some((VALID.to_owned(), None)));
        }
    }

    #[test]
    fn a_malformed_context_is_ignored() {
        let zero = "00-00000000000000000000000000000000-00f067aa0ba902b7-01";
        let long = format!("{VALID}{}", "-".repeat(LONGEST_PARENT));
        for parent in ["", "00", zero, &VALID.to_uppercase(), &long, &VALID[..50]] {
            assert_eq!(caller(parent, "a=1"), None, "{parent}");
        }
    }
}
