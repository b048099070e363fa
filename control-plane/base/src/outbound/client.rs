//! Calls to services that the operator chose, with retries and answers in JSON.

use std::{fmt, time::Duration};

use backon::{ExponentialBuilder, Retryable};
use bytes::BytesMut;
use reqwest::{
    Method, StatusCode,
    header::{self, HeaderMap},
};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use serving::trace::{self, KeyValue, SpanKind};
use url::form_urlencoded;

/// Answers above this are not read: 1 MiB.
const MAX_ANSWER: usize = 1024 * 1024;

/// Tries of a call, the first included.
pub const ATTEMPTS: u32 = 3;

/// A client for one service.
#[derive(Clone)]
pub struct Client {
    service: &'static str,
    http: reqwest::Client,
    base: String,
    token: Option<SecretString>,
}

/// A call.
#[derive(Clone, Debug)]
pub struct Call {
    pub method: Method,
    /// Below the base, with a leading slash.
    pub path: String,
    /// Sent as a form where there are any.
    pub fields: Vec<(&'static str, String)>,
    /// By which the service recognises a repeated attempt.
    pub idempotency_key: Option<String>,
}

/// What was answered.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    /// `null` when there was none.
    pub body: Value,
}

/// Why there is no answer that can be used. Whether the call had an effect is not known.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    #[error("no connection, or no answer in time")]
    Http(#[from] reqwest::Error),
    #[error("the service is overloaded or failing: {0}")]
    Failing(StatusCode),
    #[error("the answer is larger than {MAX_ANSWER} bytes")]
    TooLarge,
    #[error("the answer is no JSON")]
    NoJson(#[from] serde_json::Error),
}

impl Client {
    /// A client of the service at `base`, an address without a trailing slash; `token`, where there is one, authenticates every
    /// call. Calls are counted under the name of the service.
    ///
    /// # Panics
    /// When the system's certificates cannot be read.
    pub fn new(
        service: &'static str,
        base: &str,
        token: Option<SecretString>,
        timeout: Duration,
    ) -> Self {
        let http = reqwest::Client::builder()
            .timeout(timeout)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .expect("the system has certificates of authorities");
        for outcome in ["done", "refused", "failed"] {
            metrics::counter!("halyard_outbound_calls_total", "service" => service, "outcome" => outcome)
                .absolute(0);
        }
        Self {
            service,
            http,
            base: base.to_owned(),
            token,
        }
    }

    /// Calls, up to three times if the service cannot be reached, is overloaded, or fails.
    pub async fn call(&self, call: &Call) -> Result<Answer, CallError> {
        let pauses = ExponentialBuilder::default()
            .with_min_delay(Duration::from_millis(100))
            .with_max_times(ATTEMPTS as usize - 1)
            .with_jitter();
        let attempt = || {
            let attributes = || {
                let method = KeyValue::new("http.request.method", call.method.to_string());
                vec![method, KeyValue::new("peer.service", self.service)]
            };
            trace::within("call", SpanKind::Client, attributes, self.attempt(call))
        };
        let answer = attempt.retry(pauses).when(CallError::is_transient).await;
        let outcome = match &answer {
            Ok(answer) if answer.status.is_success() => "done",
            Ok(_) => "refused",
            Err(_) => "failed",
        };
        metrics::counter!("halyard_outbound_calls_total", "service" => self.service, "outcome" => outcome)
            .increment(1);
        answer
    }

    async fn attempt(&self, call: &Call) -> Result<Answer, CallError> {
        let url = format!("{}{}", self.base, call.path);
        let mut headers = HeaderMap::new();
        if let Some(key) = &call.idempotency_key {
            let key = key.parse().expect("keys are made of printable characters");
            headers.insert("idempotency-key", key);
        }
        trace::inject(&mut headers);
        let mut request = self.http.request(call.method.clone(), url).headers(headers);
        if let Some(token) = &self.token {
            request = request.bearer_auth(token.expose_secret());
        }
        if !call.fields.is_empty() {
            let form = form_urlencoded::Serializer::new(String::new())
                .extend_pairs(&call.fields)
                .finish();
            request = request
                .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
                .body(form);
        }
        let response = request.send().await?;
        let status = response.status();
        trace::note("http.response.status_code", i64::from(status.as_u16()));
        if status.is_server_error()
            || status == StatusCode::TOO_MANY_REQUESTS
            // Another attempt with the same idempotency key is still in progress there.
            || status == StatusCode::CONFLICT
        {
            return Err(CallError::Failing(status));
        }
        let body = read(response).await?;
        let body = if body.is_empty() {
            Value::Null
        } else {
            serde_json::from_slice(&body)?
        };
        Ok(Answer { status, body })
    }
}

async fn read(mut response: reqwest::Response) -> Result<BytesMut, CallError> {
    let mut body = BytesMut::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > MAX_ANSWER {
            return Err(CallError::TooLarge);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

impl CallError {
    const fn is_transient(&self) -> bool {
        match self {
            Self::Http(_) | Self::Failing(_) => true,
            Self::TooLarge | Self::NoJson(_) => false,
        }
    }
}

/// Without the token.
impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("base", &self.base).finish()
    }
}
