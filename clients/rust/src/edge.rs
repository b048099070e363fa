//! What is asked of an edge, over HTTP.

use std::{error::Error, fmt::Write, time::Duration};

use bytes::{Bytes, BytesMut};
use protocol::wire::{
    sdk::{FORMAT, MEDIA_TYPE},
    signed,
};
use reqwest::{
    Client, Method, RequestBuilder, Response, StatusCode,
    header::{ACCEPT, CONTENT_TYPE, HeaderValue, RETRY_AFTER, USER_AGENT},
};
use url::Url;

const CONNECT: Duration = Duration::from_secs(10);
const SNAPSHOT: Duration = Duration::from_mins(2);
const REPORT: Duration = Duration::from_secs(15);
/// Until the head of a stream is there.
const HEAD: Duration = Duration::from_secs(15);
/// Bytes that are read of an answer that tells what is wrong.
const MESSAGE: usize = 1 << 10;

/// An edge, and the key that it is asked with.
pub(crate) struct Edge {
    http: Client,
    url: Url,
    key: HeaderValue,
    agent: HeaderValue,
}

/// Why an edge did not do what it was asked.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The key is not accepted.
    #[error("{0}")]
    Refused(String),
    /// What was sent is not accepted.
    #[error("{0}")]
    Unacceptable(String),
    /// It may do it later.
    #[error("{why}")]
    Unavailable {
        why: String,
        retry_after: Option<Duration>,
    },
}

impl Failure {
    pub(crate) fn unavailable(why: impl Into<String>) -> Self {
        Self::Unavailable {
            why: why.into(),
            retry_after: None,
        }
    }
}

impl Edge {
    /// Prepares connections; none is opened yet.
    pub(crate) fn new(url: Url, key: HeaderValue, agent: HeaderValue) -> Result<Self, String> {
        let http = Client::builder()
            .connect_timeout(CONNECT)
            // A key is not sent to where an answer leads.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| explain(&error))?;
        Ok(Self {
            http,
            url,
            key,
            agent,
        })
    }

    /// The whole environment, as a frame with or without a signature behind it.
    pub(crate) async fn snapshot(&self) -> Result<Bytes, Failure> {
        let request = self
            .request(Method::GET, "snapshot")
            .header(ACCEPT, MEDIA_TYPE)
            .timeout(SNAPSHOT);
        let mut answer = checked(request.send().await).await?;
        let mut body = BytesMut::new();
        while let Some(part) = answer.chunk().await.map_err(cut)? {
            if body.len() + part.len() > signed::LONGEST {
                return Err(Failure::unavailable("the environment is too large"));
            }
            body.extend_from_slice(&part);
        }
        Ok(body.freeze())
    }

    /// Opens the stream of changes.
    pub(crate) async fn stream(&self) -> Result<Response, Failure> {
        let request = self
            .request(Method::GET, "stream")
            .query(&[("format", FORMAT)])
            .header(ACCEPT, "text/event-stream");
        match tokio::time::timeout(HEAD, request.send()).await {
            Ok(sent) => checked(sent).await,
            Err(_) => Err(Failure::unavailable("the edge does not answer")),
        }
    }

    /// Sends a report.
    pub(crate) async fn report(&self, frame: Bytes) -> Result<(), Failure> {
        let request = self
            .request(Method::POST, "usage")
            .header(CONTENT_TYPE, MEDIA_TYPE)
            .timeout(REPORT)
            .body(frame);
        checked(request.send().await).await.map(drop)
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let base = self.url.as_str().trim_end_matches('/');
        self.http
            .request(method, format!("{base}/v1/sdk/{path}"))
            .header("X-API-Key", self.key.clone())
            .header(USER_AGENT, self.agent.clone())
    }
}

/// Why a body ended early.
pub(crate) fn cut(error: reqwest::Error) -> Failure {
    Failure::unavailable(explain(&error.without_url()))
}

/// An answer that is a success.
async fn checked(sent: reqwest::Result<Response>) -> Result<Response, Failure> {
    let mut answer = sent.map_err(cut)?;
    let status = answer.status();
    if status.is_success() {
        return Ok(answer);
    }
    let mut why = format!("the edge answers {status}");
    if let Ok(Some(body)) = answer.chunk().await {
        let body = body.get(..MESSAGE).unwrap_or(&body);
        let told = serde_json::from_slice::<serde_json::Value>(body).ok();
        let told = told.as_ref().and_then(|body| body.get("error"));
        if let Some(told) = told.and_then(|told| told.as_str()) {
            let told: String = told.chars().filter(|told| !told.is_control()).collect();
            _ = write!(why, ": {told}");
        }
    }
    Err(match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Failure::Refused(why),
        StatusCode::BAD_REQUEST | StatusCode::PAYLOAD_TOO_LARGE => Failure::Unacceptable(why),
        _ => Failure::Unavailable {
            why,
            retry_after: answer
                .headers()
                .get(RETRY_AFTER)
                .and_then(|seconds| seconds.to_str().ok()?.parse().ok())
                .map(Duration::from_secs),
        },
    })
}

/// An error with its causes.
pub(crate) fn explain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        _ = write!(text, ": {inner}");
        cause = inner.source();
    }
    text
}
