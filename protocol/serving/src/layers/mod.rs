//! What all responses of a server have in common, added around its router.
//!
//! [`half`] is applied to each half of the API, evaluation and management, since they differ; [`common`] to the whole
//! router, last. Each adds one layer to a route, made of several: axum boxes each layer of a route, and to answer a request it
//! clones a box with all that are below it.

mod answered;
pub mod cors;
mod request;

use std::any::Any;

use axum::{
    Router,
    handler::Handler,
    http::{HeaderName, HeaderValue, header},
    response::{IntoResponse, Response},
};
use tower::layer::layer_fn;
use tower_http::{catch_panic::CatchPanicLayer, set_header::SetResponseHeaderLayer};

use self::answered::Answered;

pub use self::answered::matched;
pub(crate) use self::request::REQUEST_ID;

use crate::error::ApiError;

/// `Cache-Control` of all answers that do not set their own: what a token or key opens outlives neither in a cache.
pub const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

const SECURITY_HEADERS: [(HeaderName, HeaderValue); 3] = [
    (
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    ),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (
        header::REFERRER_POLICY,
        HeaderValue::from_static("no-referrer"),
    ),
];

/// One half of the API: its answer to wrong methods, [`NO_STORE`] (a handler that sets its own keeps it), and its CORS
/// rules.
///
/// The answer to wrong methods has to be inside the CORS layer: to the router, a preflight is a wrong method too, and
/// an answer that is set later would replace the layer around it.
pub fn half<S>(router: Router<S>, cors: cors::Rules) -> Router<S>
where
    S: Clone + Send + Sync + 'static,
{
    router
        .method_not_allowed_fallback(method_not_allowed)
        .layer((
            cors,
            SetResponseHeaderLayer::if_not_present(header::CACHE_CONTROL, NO_STORE),
        ))
}

/// Adds request ids, tracing, security headers, and JSON answers for unknown paths, wrong methods and panics. Routes
/// added afterwards have none of these, so it is called last.
pub fn common(router: Router) -> Router {
    common_or(router, || async { unknown() })
}

/// Like [`common`], with another answer to unknown paths.
pub fn common_or<H, T>(router: Router, unknown: H) -> Router
where
    H: Handler<T, ()>,
    T: 'static,
{
    router
        .fallback(unknown)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(layer_fn(Answered))
}

/// The answer to an unknown path.
pub fn unknown() -> ApiError {
    ApiError::not_found("not found")
}

/// Answers a panic in a handler with 500, for a layer around it that gives errors another form. [`common`] does so too.
pub fn catch_panics() -> CatchPanicLayer<fn(Box<dyn Any + Send>) -> Response> {
    let answer: fn(Box<dyn Any + Send>) -> Response = answer_panic;
    CatchPanicLayer::custom(answer)
}

async fn method_not_allowed() -> ApiError {
    ApiError::method_not_allowed()
}

fn answer_panic(panic: Box<dyn Any + Send>) -> Response {
    let message = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("of unknown kind");
    ApiError::internal(format!("panic in a handler: {message}")).into_response()
}

#[cfg(test)]
mod tests {
    use axum::{
        body::{Body, to_bytes},
        extract::Request,
        http::{HeaderMap, Method, StatusCode},
        routing::{get, put},
    };
    use tower::ServiceExt;

    use super::*;

    async fn boom() {
        panic!("a wheel came off");
    }

    fn router() -> Router {
        let routes = Router::new()
            .route("/thing", get(|| async { "ok" }).post(|| async { "made" }))
            .route("/boom", put(boom))
            .route(
                "/public",
                get(|| async { ([(header::CACHE_CONTROL, "public")], "ok") }),
            );
        let probe = Router::new().route("/probe", get(|| async { "ok" }));
        common(half(routes, cors::evaluation()).merge(probe))
    }

    async fn call(method: Method, path: &str) -> (StatusCode, HeaderMap, String) {
        let request = Request::builder().method(method).uri(path);
        let request = request.body(Body::empty()).unwrap();
        let (head, body) = router().oneshot(request).await.unwrap().into_parts();
        let body = to_bytes(body, 1024).await.unwrap();
        (
            head.status,
            head.headers,
            String::from_utf8(body.to_vec()).unwrap(),
        )
    }

    #[tokio::test]
    async fn every_answer_has_the_common_headers() {
        for (method, path) in [
            (Method::GET, "/thing"),
            (Method::DELETE, "/thing"),
            (Method::GET, "/nowhere"),
            (Method::PUT, "/boom"),
        ] {
            let (_, headers, _) = call(method, path).await;
            assert_eq!(headers["x-content-type-options"], "nosniff", "{path}");
            assert_eq!(headers["x-frame-options"], "DENY", "{path}");
            assert_eq!(headers["referrer-policy"], "no-referrer", "{path}");
            assert_eq!(headers["x-request-id"].len(), 36, "{path}");
        }
    }

    #[tokio::test]
    async fn unknown_paths_and_methods_answer_json() {
        let (status, _, body) = call(Method::GET, "/thing/").await;
        assert_eq!(
            (status.as_u16(), body.as_str()),
            (404, r#"{"error":"not found"}"#)
        );

        for (path, allow) in [("/thing", "GET,HEAD,POST"), ("/probe", "GET,HEAD")] {
            let (status, headers, body) = call(Method::DELETE, path).await;
            assert_eq!(status, 405);
            assert_eq!(headers[header::ALLOW], allow);
            assert_eq!(body, r#"{"error":"method not allowed"}"#);
        }
    }

    #[tokio::test]
    async fn a_panic_is_answered_with_500_without_its_message() {
        let (status, _, body) = call(Method::PUT, "/boom").await;
        assert_eq!(status, 500);
        assert_eq!(body, r#"{"error":"internal server error"}"#);
    }

    #[tokio::test]
    async fn a_handler_may_choose_its_own_cache_policy() {
        let (_, headers, _) = call(Method::GET, "/thing").await;
        assert_eq!(headers[header::CACHE_CONTROL], "no-store");
        let (_, headers, _) = call(Method::GET, "/public").await;
        assert_eq!(headers[header::CACHE_CONTROL], "public");
    }
}
