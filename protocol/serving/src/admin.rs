//! Probes and metrics: `/health`, `/ready`, `/metrics`, and a client for the first two, for containers.
//!
//! `/health` says that the process runs, `/ready` that it can serve; an orchestrator restarts by the first and routes
//! by the second. Metrics cover all tenants, so they are only on the admin address.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Json, Router,
    http::{HeaderMap, header},
    response::{IntoResponse, Response},
    routing::get,
};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use utoipa::{OpenApi, openapi};

use crate::{document, error::ApiError, leaving::Leaving, telemetry::Format};

/// Whether a server can do its work.
#[derive(Clone, Debug)]
pub enum Readiness {
    /// It can; the value is shown as the body.
    Ready(Value),
    /// It cannot, for this reason.
    NotReady(String),
}

/// Checks whether a server is ready.
#[derive(Clone)]
pub struct ReadyCheck(Arc<dyn Fn() -> BoxFuture<'static, Readiness> + Send + Sync>);

impl ReadyCheck {
    /// Wraps the check, which runs again for every probe.
    pub fn new<F>(check: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Readiness> + Send + 'static,
    {
        Self(Arc::new(move || Box::pin(check())))
    }

    /// Without what the server knows of itself: for addresses that anybody reaches.
    #[must_use]
    pub fn brief(self) -> Self {
        Self::new(move || {
            let check = (self.0)();
            async {
                match check.await {
                    Readiness::Ready(_) => Readiness::Ready(json!({"status": "ready"})),
                    not_ready @ Readiness::NotReady(_) => not_ready,
                }
            }
        })
    }

    pub(crate) async fn run(&self) -> Readiness {
        (self.0)().await
    }

    /// A server that is leaving is not ready, though it answers.
    #[must_use]
    pub fn unless_leaving(self, leaving: Leaving) -> Self {
        Self::new(move || {
            let check = (!leaving.is_begun()).then(|| (self.0)());
            async {
                match check {
                    Some(check) => check.await,
                    None => Readiness::NotReady("stopping".to_owned()),
                }
            }
        })
    }
}

/// `/health` and `/ready`, for the API address as well as the admin address.
pub fn probes(check: ReadyCheck) -> Router {
    Router::new()
        .route("/health", get(health))
        .route("/ready", get(move || ready(check.clone())))
}

/// Everything served on the admin address; `metrics` renders them, with exemplars for a format that has them.
pub fn router<F>(
    check: ReadyCheck,
    metrics: impl Fn(Format) -> F + Clone + Send + Sync + 'static,
) -> Router
where
    F: Future<Output = String> + Send + 'static,
{
    let render = move |headers: HeaderMap| async move {
        let format = Format::wanted(&headers);
        let text = format.finish(metrics(format).await);
        ([(header::CONTENT_TYPE, format.content_type())], text)
    };
    probes(check).route("/metrics", get(render))
}

#[derive(OpenApi)]
#[openapi(paths(health, ready))]
struct Probes;

/// What the API document says of the probes.
pub fn document() -> openapi::OpenApi {
    let mut document = Probes::openapi();
    for item in document.paths.paths.values_mut() {
        for operation in document::operations(item) {
            document::refuses_in_words(operation);
            document::carries_by_status(operation);
        }
    }
    document
}

/// Tells that the process runs.
#[utoipa::path(
    get,
    path = "/health",
    operation_id = "getHealth",
    tag = "service",
    security(()),
    responses((status = 200, description = "it runs", body = Object))
)]
async fn health() -> Json<Value> {
    Json(json!({"status": "ok"}))
}

/// Tells whether the process can serve.
#[utoipa::path(
    get,
    path = "/ready",
    operation_id = "getReadiness",
    tag = "service",
    security(()),
    responses(
        (status = 200, description = "it can, and what it knows of itself", body = Object),
        (status = 503, description = "it cannot, and why"),
    )
)]
async fn ready(check: ReadyCheck) -> Response {
    match (check.0)().await {
        Readiness::Ready(body) => Json(body).into_response(),
        Readiness::NotReady(reason) => ApiError::unavailable(reason).into_response(),
    }
}

/// Why a probe failed.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// Nothing answers there.
    #[error("cannot reach {0}")]
    Unreachable(SocketAddr, #[source] io::Error),
    /// Something listens, but did not answer in five seconds.
    #[error("{0} did not answer in time")]
    TimedOut(SocketAddr),
    /// The answer's status was not 200.
    #[error("{0} answered {1:?}")]
    Refused(SocketAddr, String),
}

/// Requests `/health` or `/ready` from a process's admin address: for containers that have no other client.
///
/// # Errors
/// When the answer is not 200, or none arrives.
pub async fn probe(address: SocketAddr, path: &str) -> Result<(), ProbeError> {
    let answer = timeout(Duration::from_secs(5), ask(address, path))
        .await
        .map_err(|_| ProbeError::TimedOut(address))?
        .map_err(|error| ProbeError::Unreachable(address, error))?;
    if answer.starts_with(b"HTTP/1.1 200 ") {
        return Ok(());
    }
    let status = answer.split(|&byte| byte == b'\r').next();
    let status = String::from_utf8_lossy(status.unwrap_or_default());
    Err(ProbeError::Refused(address, status.into_owned()))
}

async fn ask(address: SocketAddr, path: &str) -> io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    // Its head is enough.
    stream.take(4 * 1024).read_to_end(&mut answer).await?;
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use axum::{
        body::{Body, to_bytes},
        http::Request,
    };
    use metrics_exporter_prometheus::PrometheusBuilder;
    use tokio::net::TcpListener;
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
    async fn readiness_is_checked_every_time() {
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
        let metrics = recorder.handle();
        let router = router(check, move |_| std::future::ready(metrics.render()));

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
    async fn listening() -> (TcpListener, SocketAddr) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        (listener, address)
    }

    #[tokio::test]
    async fn a_probe_succeeds_only_on_200() {
        let (listener, address) = listening().await;
        let check = ReadyCheck::new(|| async { Readiness::NotReady("no snapshot yet".to_owned()) });
        let server = tokio::spawn(async move { axum::serve(listener, probes(check)).await });
        probe(address, "/health").await.unwrap();
        let refused = probe(address, "/ready").await.unwrap_err();
        assert_eq!(
            refused.to_string(),
            format!("{address} answered \"HTTP/1.1 503 Service Unavailable\"")
        );
        server.abort();
    }

    #[tokio::test]
    async fn a_probe_that_nothing_answers_fails() {
        let (listener, address) = listening().await;
        drop(listener);
        let refused = probe(address, "/health").await.unwrap_err();
        assert!(matches!(refused, ProbeError::Unreachable(..)), "{refused}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_probe_does_not_wait_for_ever() {
        let (_silent, address) = listening().await;
        let refused = probe(address, "/health").await.unwrap_err();
        assert!(matches!(refused, ProbeError::TimedOut(_)), "{refused}");
    }
}
