//! What browsers on other origins may do: with an API key, anything; with a token, only from the listed origins.

use std::{
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    extract::Request,
    http::{HeaderName, HeaderValue, Method, StatusCode, header},
    response::Response,
};
use futures_util::{
    TryFutureExt,
    future::{Either, MapOk},
};
use tower::{Layer, Service};
use tower_http::cors::{AllowOrigin, Any, Cors, CorsLayer};

use super::REQUEST_ID;
use crate::rate;

const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
const SNAPSHOT_VERSION: HeaderName = HeaderName::from_static("x-snapshot-version");
const EDGES_ACKNOWLEDGED: HeaderName = HeaderName::from_static("x-edges-acknowledged");
const EDGES_LAGGING: HeaderName = HeaderName::from_static("x-edges-lagging");

/// What of a request nothing reads, by name.
pub const IGNORED_FIELDS: HeaderName = HeaderName::from_static("x-ignored-fields");
/// What was accepted, and may not mean what its author thinks.
pub const WARNINGS: HeaderName = HeaderName::from_static("x-warnings");
/// The preferences of a request (RFC 7240).
pub const PREFER: HeaderName = HeaderName::from_static("prefer");
/// Those that were honored.
pub const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

const MAX_AGE: Duration = Duration::from_secs(600);

const OF_EVALUATION: [HeaderName; 4] = [
    API_KEY,
    header::CONTENT_TYPE,
    LAST_EVENT_ID,
    header::IF_NONE_MATCH,
];

/// Any origin, no credentials: the API key is the credential, and it is a request header.
pub fn evaluation() -> Rules {
    any_origin(OF_EVALUATION.to_vec())
}

/// Like [`evaluation`]; the API key may also be sent as a bearer token.
pub fn ofrep() -> Rules {
    let mut headers = OF_EVALUATION.to_vec();
    headers.push(header::AUTHORIZATION);
    any_origin(headers)
}

fn any_origin(headers: Vec<HeaderName>) -> Rules {
    let cors = CorsLayer::new()
        .allow_origin(Any)
        .allow_methods([Method::GET, Method::POST])
        .allow_headers(headers)
        .expose_headers([
            header::ETAG,
            SNAPSHOT_VERSION,
            rate::LIMIT,
            rate::REMAINING,
            rate::RESET,
            header::RETRY_AFTER,
            REQUEST_ID,
            WARNINGS,
        ])
        .max_age(MAX_AGE);
    Rules {
        cors,
        applies: Applies::ToBrowsers,
    }
}

/// The listed origins, with credentials.
pub fn management(origins: Vec<HeaderValue>) -> Rules {
    let cors = CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins))
        .allow_credentials(true)
        .allow_methods([
            Method::GET,
            Method::POST,
            Method::PUT,
            Method::PATCH,
            Method::DELETE,
        ])
        .allow_headers([
            header::AUTHORIZATION,
            header::CONTENT_TYPE,
            header::IF_MATCH,
            header::IF_NONE_MATCH,
            LAST_EVENT_ID,
            PREFER,
            REQUEST_ID,
        ])
        .expose_headers([
            header::ETAG,
            header::LINK,
            rate::LIMIT,
            rate::REMAINING,
            rate::RESET,
            header::RETRY_AFTER,
            REQUEST_ID,
            SNAPSHOT_VERSION,
            EDGES_ACKNOWLEDGED,
            EDGES_LAGGING,
            IGNORED_FIELDS,
            WARNINGS,
            PREFERENCE_APPLIED,
        ])
        .max_age(MAX_AGE);
    Rules {
        cors,
        applies: Applies::Always,
    }
}

/// No other origin, and no headers: to a preflight it is a wrong method like any other.
pub fn none() -> Rules {
    Rules {
        cors: CorsLayer::new(),
        applies: Applies::Never,
    }
}

/// The rules of one half of the API.
#[derive(Clone, Debug)]
pub struct Rules {
    cors: CorsLayer,
    applies: Applies,
}

/// Which requests the rules apply to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Applies {
    Never,
    ToBrowsers,
    /// Every answer differs by where the request comes from, which caches have to know.
    Always,
}

impl<S> Layer<S> for Rules {
    type Service = Ruled<S>;

    fn layer(&self, inner: S) -> Ruled<S> {
        Ruled {
            cors: self.cors.layer(inner),
            applies: self.applies,
        }
    }
}

/// A service under [`Rules`].
#[derive(Clone, Debug)]
pub struct Ruled<S> {
    cors: Cors<S>,
    applies: Applies,
}

impl<S> Service<Request> for Ruled<S>
where
    S: Service<Request, Response = Response>,
{
    type Response = Response;
    type Error = S::Error;
    type Future =
        Either<MapOk<<Cors<S> as Service<Request>>::Future, fn(Response) -> Response>, S::Future>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.cors.get_mut().poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let is_preflight = request.method() == Method::OPTIONS;
        let is_of_browser = is_preflight || request.headers().contains_key(header::ORIGIN);
        let applies = match self.applies {
            Applies::Never => false,
            Applies::ToBrowsers => is_of_browser,
            Applies::Always => true,
        };
        if applies {
            let settle: fn(Response) -> Response = if is_preflight { no_content } else { as_it_is };
            Either::Left(self.cors.call(request).map_ok(settle))
        } else {
            Either::Right(self.cors.get_mut().call(request))
        }
    }
}

/// The layer below answers a preflight with 200; the API promises 204.
fn no_content(mut response: Response) -> Response {
    *response.status_mut() = StatusCode::NO_CONTENT;
    response
}

const fn as_it_is(response: Response) -> Response {
    response
}

#[cfg(test)]
mod tests {
    use axum::{Router, body::Body, routing::get};
    use tower::ServiceExt;

    use super::{
        super::{common, half},
        *,
    };

    const DASHBOARD: &str = "https://app.acme.test";

    fn router(cors: Rules) -> Router {
        let routes = Router::new().route("/thing", get(|| async { "ok" }));
        common(half(routes, cors))
    }

    #[tokio::test]
    async fn evaluation_answers_without_an_origin_have_no_cors_headers() {
        let ask = async |cors| {
            let request = Request::get("/thing").body(Body::empty()).unwrap();
            router(cors).oneshot(request).await.unwrap()
        };
        let evaluated = ask(evaluation()).await;
        let is_of_cors = |name: &HeaderName| name.as_str().starts_with("access-control-");
        assert!(!evaluated.headers().keys().any(is_of_cors));
        assert!(!evaluated.headers().contains_key(header::VARY));
        // It is another answer to others.
        let managed = ask(management(vec![HeaderValue::from_static(DASHBOARD)])).await;
        assert!(managed.headers().contains_key(header::VARY));
    }

    async fn call(cors: Rules, method: Method, origin: &str) -> Response {
        let router = router(cors);
        let request = Request::builder()
            .method(method)
            .uri("/thing")
            .header(header::ORIGIN, origin)
            .header(header::ACCESS_CONTROL_REQUEST_METHOD, "POST")
            .body(Body::empty())
            .unwrap();
        router.oneshot(request).await.unwrap()
    }

    #[tokio::test]
    async fn evaluation_is_open_to_any_origin_without_credentials() {
        let preflight = call(evaluation(), Method::OPTIONS, "https://a.test").await;
        assert_eq!(preflight.status(), 204);
        let headers = preflight.headers();
        assert_eq!(headers[header::ACCESS_CONTROL_ALLOW_ORIGIN], "*");
        assert_eq!(headers[header::ACCESS_CONTROL_MAX_AGE], "600");
        assert_eq!(
            headers[header::ACCESS_CONTROL_ALLOW_HEADERS],
            "x-api-key,content-type,last-event-id,if-none-match"
        );
        assert!(!headers.contains_key(header::ACCESS_CONTROL_ALLOW_CREDENTIALS));

        let answer = call(evaluation(), Method::GET, "https://a.test").await;
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.headers()[header::ACCESS_CONTROL_ALLOW_ORIGIN], "*");
    }

    #[tokio::test]
    async fn management_is_open_to_listed_origins_only() {
        let cors = || management(vec![HeaderValue::from_static(DASHBOARD)]);

        let preflight = call(cors(), Method::OPTIONS, DASHBOARD).await;
        assert_eq!(preflight.status(), 204);
        let answer = call(cors(), Method::GET, DASHBOARD).await;
        for headers in [preflight.headers(), answer.headers()] {
            assert_eq!(headers[header::ACCESS_CONTROL_ALLOW_ORIGIN], DASHBOARD);
            assert_eq!(headers[header::ACCESS_CONTROL_ALLOW_CREDENTIALS], "true");
        }

        let headers = preflight.headers();
        assert_eq!(
            headers[header::ACCESS_CONTROL_ALLOW_HEADERS],
            "authorization,content-type,if-match,if-none-match,last-event-id,prefer,x-request-id"
        );

        let foreign = call(cors(), Method::GET, "https://evil.test").await;
        assert!(
            !foreign
                .headers()
                .contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN)
        );
    }

    #[tokio::test]
    async fn without_rules_a_preflight_is_a_wrong_method_and_no_origin_is_named() {
        for (method, status) in [(Method::OPTIONS, 405), (Method::GET, 200)] {
            let answer = call(none(), method, DASHBOARD).await;
            assert_eq!(answer.status(), status);
            let is_of_cors = |name: &HeaderName| name.as_str().starts_with("access-control-");
            assert!(!answer.headers().keys().any(is_of_cors));
        }
    }
}
