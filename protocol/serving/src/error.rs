//! The error that all handlers of both servers answer with.
//!
//! An expected refusal carries a message for the caller. A fault carries its source for the log, and the caller learns
//! only that it happened. The body is `{"error": "..."}`, and has other members only where a refusal adds them.

use std::{borrow::Cow, error::Error, sync::Arc, time::Duration};

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

type Source = Box<dyn Error + Send + Sync>;

/// A refusal or a fault, ready to become a response.
///
/// Messages are lower case, without a full stop, and stable: clients match on some of them.
#[derive(Debug)]
pub struct ApiError {
    status: StatusCode,
    message: Cow<'static, str>,
    source: Option<Source>,
    retry_after: Option<Duration>,
    bearer_challenge: bool,
    tag: Option<HeaderValue>,
    /// Further members of the body.
    details: Option<Box<Map<String, Value>>>,
}

/// The body of every answer that is not a success.
#[derive(Debug, Serialize, ToSchema)]
pub struct ErrorBody {
    /// What is wrong, in words.
    error: Cow<'static, str>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    details: Option<Box<Map<String, Value>>>,
}

impl ApiError {
    fn new(status: StatusCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            status,
            message: message.into(),
            source: None,
            retry_after: None,
            bearer_challenge: false,
            tag: None,
            details: None,
        }
    }

    /// 400: the input breaks a rule.
    pub fn bad_request(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    /// 401 with `WWW-Authenticate: Bearer`: for everything that takes a password or a token.
    pub fn unauthorized(message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            bearer_challenge: true,
            ..Self::new(StatusCode::UNAUTHORIZED, message)
        }
    }

    /// 401 without a challenge: an API key is not a scheme that a browser could prompt for.
    pub fn invalid_key(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, message)
    }

    /// 402: the plan lacks a feature, or its limit is reached.
    pub fn payment_required(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::PAYMENT_REQUIRED, message)
    }

    /// 403: the caller is known, but not allowed.
    pub fn forbidden(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::FORBIDDEN, message)
    }

    /// 404: unknown, or another tenant's.
    pub fn not_found(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::NOT_FOUND, message)
    }

    /// 405. The router adds `Allow`.
    pub(crate) fn method_not_allowed() -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "method not allowed")
    }

    /// 406: the client reads only forms that there are none of.
    pub fn not_acceptable(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::NOT_ACCEPTABLE, message)
    }

    /// 408: the client did not finish its request in time.
    pub fn timeout(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::REQUEST_TIMEOUT, message)
    }

    /// 409: already taken, or no longer in the state that the call requires.
    pub fn conflict(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::CONFLICT, message)
    }

    /// 412 with `ETag`: it is no longer what the client has seen.
    pub fn precondition_failed(message: impl Into<Cow<'static, str>>, tag: HeaderValue) -> Self {
        Self {
            tag: Some(tag),
            ..Self::new(StatusCode::PRECONDITION_FAILED, message)
        }
    }

    /// 413: more bytes than the endpoint reads.
    pub fn too_large(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, message)
    }

    /// 415: a body of another kind than the endpoint reads, which is mostly JSON.
    pub fn unsupported_media_type(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message)
    }

    /// 422: well formed, but wrong (one-time codes).
    pub fn unprocessable(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, message)
    }

    /// 429 with `Retry-After`, rounded up to whole seconds.
    pub fn too_many(message: impl Into<Cow<'static, str>>, retry_after: Duration) -> Self {
        Self {
            retry_after: Some(retry_after),
            ..Self::new(StatusCode::TOO_MANY_REQUESTS, message)
        }
    }

    /// 501: the protocol has it, and this server does not.
    pub fn not_implemented(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::NOT_IMPLEMENTED, message)
    }

    /// 502: another service that this one depends on failed.
    pub fn bad_gateway(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::BAD_GATEWAY, message)
    }

    /// 503: nothing is wrong with the request; retry later.
    pub fn unavailable(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, message)
    }

    /// 500. The source is logged once, when the response is made, and never shown.
    pub fn internal(source: impl Into<Source>) -> Self {
        Self {
            source: Some(source.into()),
            ..Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal server error")
        }
    }

    /// Adds or replaces `Retry-After`.
    #[must_use]
    pub fn retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// Adds members to the body.
    #[must_use]
    pub fn with_details(mut self, details: Map<String, Value>) -> Self {
        self.details = Some(Box::new(details));
        self
    }

    /// The status that it answers with.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The message that it answers with.
    pub fn message(&self) -> &str {
        &self.message
    }
}

/// What went wrong behind an answer, only for the log. [`crate::layers::common`] logs it once, with the request's id.
#[derive(Clone, Debug)]
pub(crate) struct Fault(pub(crate) Arc<str>);

/// The message of an answer that was made of an [`ApiError`], for a layer that gives it another form.
#[derive(Clone, Debug)]
pub struct Told(pub Cow<'static, str>);

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let fault = self
            .source
            .map(|source| Fault(chain(source.as_ref()).into()));
        let told = Told(self.message.clone());
        let body = ErrorBody {
            error: self.message,
            details: self.details,
        };
        let mut response = (self.status, Json(body)).into_response();
        response.extensions_mut().insert(told);
        if let Some(fault) = fault {
            response.extensions_mut().insert(fault);
        }
        let headers = response.headers_mut();
        if self.bearer_challenge {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(wait) = self.retry_after {
            headers.insert(header::RETRY_AFTER, whole_seconds(wait).into());
        }
        if let Some(tag) = self.tag {
            headers.insert(header::ETAG, tag);
        }
        response
    }
}

/// Seconds for `Retry-After`: rounded up and never zero, so that the caller does not return too early.
pub(crate) fn whole_seconds(wait: Duration) -> u64 {
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    seconds.max(1)
}

/// An error with all its sources on one line. Those of libraries often repeat their source in `Display`: that is left out.
pub fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        let shown = source.to_string();
        if !text.contains(&shown) {
            text.push_str(": ");
            text.push_str(&shown);
        }
        next = source.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use axum::body::to_bytes;

    use super::*;

    #[test]
    fn a_chain_says_everything_once() {
        #[derive(Debug, thiserror::Error)]
        #[error("{0}")]
        struct Said(&'static str, #[source] Option<Box<Self>>);

        let root = Said("no TLS (line 350)", None);
        let repeated = Said("the server says: no TLS (line 350)", Some(Box::new(root)));
        let error = Said("cannot connect", Some(Box::new(repeated)));
        assert_eq!(
            chain(&error),
            "cannot connect: the server says: no TLS (line 350)"
        );
    }

    async fn parts(error: ApiError) -> (StatusCode, axum::http::HeaderMap, String) {
        let response = error.into_response();
        let (head, body) = response.into_parts();
        let body = to_bytes(body, 1024).await.unwrap();
        let body = String::from_utf8(body.to_vec()).unwrap();
        (head.status, head.headers, body)
    }

    #[tokio::test]
    async fn a_refusal_shows_its_message_and_nothing_else() {
        let (status, headers, body) = parts(ApiError::conflict("flag key already exists")).await;
        assert_eq!(status, StatusCode::CONFLICT);
        assert_eq!(body, r#"{"error":"flag key already exists"}"#);
        assert_eq!(headers[header::CONTENT_TYPE], "application/json");
        assert!(!headers.contains_key(header::WWW_AUTHENTICATE));
    }

    #[tokio::test]
    async fn details_are_members_beside_the_message() {
        let details = Map::from_iter([("message".to_owned(), Value::from("ask for it"))]);
        let refusal = ApiError::forbidden("approval_required").with_details(details);
        let (_, _, body) = parts(refusal).await;
        assert_eq!(
            body,
            r#"{"error":"approval_required","message":"ask for it"}"#
        );
    }

    #[tokio::test]
    async fn a_fault_hides_its_source() {
        let source = std::io::Error::other("password of the database is wrong");
        let (status, _, body) = parts(ApiError::internal(source)).await;
        assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(body, r#"{"error":"internal server error"}"#);
    }

    #[tokio::test]
    async fn tokens_are_challenged_and_keys_are_not() {
        let (status, headers, _) = parts(ApiError::unauthorized("no")).await;
        assert_eq!(status, StatusCode::UNAUTHORIZED);
        assert_eq!(headers[header::WWW_AUTHENTICATE], "Bearer");

        let (status, headers, _) = parts(ApiError::invalid_key("no")).await;
        assert_eq!(status, StatusCode::UNAUTHORIZED);
        assert!(!headers.contains_key(header::WWW_AUTHENTICATE));
    }

    #[tokio::test]
    async fn retry_after_is_rounded_up() {
        let (_, headers, _) = parts(ApiError::too_many("slow", Duration::from_millis(1_001))).await;
        assert_eq!(headers[header::RETRY_AFTER], "2");
        let (_, headers, _) = parts(ApiError::too_many("slow", Duration::ZERO)).await;
        assert_eq!(headers[header::RETRY_AFTER], "1");
    }

    #[test]
    fn a_chain_names_every_source() {
        #[derive(Debug, thiserror::Error)]
        #[error("reading the cache")]
        struct Outer(#[source] std::io::Error);
        let error = Outer(std::io::Error::other("disk is full"));
        assert_eq!(chain(&error), "reading the cache: disk is full");
    }
}
