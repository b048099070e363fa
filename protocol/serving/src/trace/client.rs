//! The client of the collector.

use std::{fmt, time::Duration};

use axum::http::Uri;
use futures_util::future::BoxFuture;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::ExporterBuildError;
use tokio::runtime::Handle;

/// Bytes of an answer that are read.
const LONGEST_ANSWER: usize = 64 * 1024;

/// Why nothing can be exported.
#[derive(Debug, thiserror::Error)]
pub enum CannotExport {
    #[error("no client for the collector")]
    Client(#[from] reqwest::Error),
    #[error("no exporter")]
    Exporter(#[from] ExporterBuildError),
}

/// Calls the collector from the runtime of the process: the threads that send have none.
pub(super) struct Client {
    http: reqwest::Client,
    runtime: Handle,
}

impl Client {
    pub(super) fn new(address: &Uri, timeout: Duration) -> reqwest::Result<Self> {
        let mut http = reqwest::Client::builder()
            .timeout(timeout)
            .redirect(reqwest::redirect::Policy::none());
        if address.scheme_str() == Some("http") {
            http = http.tls_certs_only([]);
        }
        Ok(Self {
            http: http.build()?,
            runtime: Handle::current(),
        })
    }
}

impl HttpClient for Client {
    fn send_bytes<'a, 'b>(
        &'a self,
        request: Request<Bytes>,
    ) -> BoxFuture<'b, Result<Response<Bytes>, HttpError>>
    where
        'a: 'b,
        Self: 'b,
    {
        let http = self.http.clone();
        let sending = self.runtime.spawn(async move {
            let mut answer = http.execute(request.try_into()?).await?;
            let mut body = Vec::new();
            while let Some(chunk) = answer.chunk().await? {
                if body.len() + chunk.len() > LONGEST_ANSWER {
                    break;
                }
                body.extend_from_slice(&chunk);
            }
            let mut response = Response::new(Bytes::from(body));
            *response.status_mut() = answer.status();
            *response.headers_mut() = std::mem::take(answer.headers_mut());
            Ok(response)
        });
        Box::pin(async move { sending.await? })
    }
}

/// Without headers.
impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Client")
    }
}
