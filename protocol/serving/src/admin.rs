//! Probes and metrics: `/health`, `/ready`, `/metrics`.
//!
//! `/health` says that the process runs, `/ready` that it can serve; an orchestrator restarts on
//! the first and routes by the second. Metrics tell about all tenants, so they are only on the
//! admin address.

use std::sync::Arc;

use axum::{
    Json, Router,
    http::header,
    response::{IntoResponse, Response},
    routing::get,
};
use futures_util::future::BoxFuture;
use metrics_exporter_prometheus::PrometheusHandle;
use serde_json::{Value, json};

use crate::error::ApiError;

const METRICS_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Whether a server can do its work.
#[derive(Clone, Debug)]
pub enum Readiness {
    /// It can; the value is shown as the body.
    Ready(Value),
    /// It cannot, for this reason.
    NotReady(String),
}

/// Asks a server whether it is ready.
#[derive(Clone)]
pub struct ReadyCheck(Arc<dyn Fn() -> BoxFuture<'static, Readiness> + Send + Sync>);

impl ReadyCheck {
    /// Wraps the question; it is asked anew by every probe.
    pub fn new<F>(check: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Readiness> + Send + 'static,
    {
        Self(Arc::new(move || Box::pin(check())))
    }
}

/// `/health` and `/ready`, for the API address as well as the admin address.
pub fn probes(check: ReadyCheck) -> Router {
    Router::new()
        .route("/health", get(|| async { Json(json!({"status": "ok"})) }))
        .route("/ready", get(move || ready(check.clone())))
}

/// Everything that the admin address answers.
pub fn router(check: ReadyCheck, metrics: PrometheusHandle) -> Router {
    let render = move || async move { ([(header::CONTENT_TYPE, METRICS_TYPE)], metrics.render()) };
    probes(check).route("/metrics", get(render))
}

async fn ready(check: ReadyCheck) -> Response {
    match (check.0)().await {
        Readiness::Ready(body) => Json(body).into_response(),
        Readiness::NotReady(reason) => ApiError::unavailable(reason).into_response(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use axum::{
        body::{Body, to_bytes},
        http::Request,
    };
    use metrics_exporter_prometheus::PrometheusBuilder;
    use tower::ServiceExt;

    use super::*;

    async fn get(router: &Router, path: &str) -> (u16, String) {
        let request = Request::get(path).body(Body::empty()).unwrap();
        let response = router.clone().oneshot(request).await.unwrap();
        let status = response.status().as_u16();
        let body = to_bytes(response.into_body(), 10_000).await.unwrap();
        (status, String::from_utf8(body.to_vec()).unwrap())
    }

    #[tokio::test]
    async fn readiness_is_asked_every_time() {
        let can_serve = Arc::new(AtomicBool::new(false));
        let check = {
            let can_serve = can_serve.clone();
            ReadyCheck::new(move || {
                let can_serve = can_serve.load(Ordering::SeqCst);
                async move {
                    if can_serve {
                        Readiness::Ready(json!({"status": "ready"}))
                    } else {
                        Readiness::NotReady("no snapshot yet".to_owned())
                    }
                }
            })
        };
        let recorder = PrometheusBuilder::new().build_recorder();
        let router = router(check, recorder.handle());

        assert_eq!(
            get(&router, "/health").await,
            (200, r#"{"status":"ok"}"#.to_owned())
        );
        let refused = (503, r#"{"error":"no snapshot yet"}"#.to_owned());
        assert_eq!(get(&router, "/ready").await, refused);
        can_serve.store(true, Ordering::SeqCst);
        assert_eq!(
            get(&router, "/ready").await,
            (200, r#"{"status":"ready"}"#.to_owned())
        );
        assert_eq!(get(&router, "/metrics").await.0, 200);
    }
}
