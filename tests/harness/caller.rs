//! Speaking HTTP to a server as somebody: without credentials, with a token, with an API key.

use std::{panic::Location, time::Duration};

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use reqwest::{Method, RequestBuilder};
use serde_json::Value;
use serving::clock::Clock;
use time::OffsetDateTime;
use tokio::time::{Instant, sleep};

use crate::{documented, expect::differences, patience::patience};

/// One address, and the credentials that every request carries.
#[derive(Clone)]
pub struct Caller {
    http: reqwest::Client,
    base: String,
    credentials: HeaderMap,
    clock: Clock,
    /// Whether the API document says what the other end answers.
    is_documented: bool,
    /// Whether it asks again where something is busy.
    is_patient: bool,
}

impl Caller {
    /// A caller without credentials. `clock` is the one that `[time]` in an answer is compared with.
    #[must_use]
    pub fn new(base: &str, clock: Clock) -> Self {
        let http = reqwest::Client::builder()
            .timeout(patience())
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            // Nobody speaks TLS here, and reading the system's roots takes longer than most requests.
            .tls_certs_only([])
            .build()
            .expect("a client without special demands can be built");
        Self {
            http,
            base: base.to_owned(),
            credentials: HeaderMap::new(),
            clock,
            is_documented: true,
            is_patient: false,
        }
    }

    /// A caller of something that is not ours, whose answers no document of ours describes.
    #[must_use]
    pub fn of_another_service(base: &str, clock: Clock) -> Self {
        Self {
            is_documented: false,
            ..Self::new(base, clock)
        }
    }

    /// The same, and what is answered by 503 is sent again: nothing of it happened.
    #[must_use]
    pub fn patient(self) -> Self {
        Self {
            is_patient: true,
            ..self
        }
    }

    /// The same address with an access token.
    #[must_use]
    pub fn with_token(&self, token: &str) -> Self {
        self.with_header(AUTHORIZATION.as_str(), &format!("Bearer {token}"))
    }

    /// The same address with an API key.
    #[must_use]
    pub fn with_key(&self, key: &str) -> Self {
        self.with_header("x-api-key", key)
    }

    /// The same address without credentials.
    #[must_use]
    pub fn without_credentials(&self) -> Self {
        Self {
            credentials: HeaderMap::new(),
            ..self.clone()
        }
    }

    fn with_header(&self, name: &'static str, value: &str) -> Self {
        let mut caller = self.without_credentials();
        let value = HeaderValue::from_str(value).expect("credentials are printable");
        caller.credentials.insert(name, value);
        caller
    }

    /// The same credentials at another address.
    #[must_use]
    pub fn at(&self, base: &str) -> Self {
        Self {
            base: base.to_owned(),
            ..self.clone()
        }
    }

    /// The same by another client.
    #[must_use]
    pub fn sent_by(self, http: reqwest::Client) -> Self {
        Self { http, ..self }
    }

    /// Where requests go, without a trailing slash.
    #[must_use]
    pub fn base(&self) -> &str {
        &self.base
    }

    pub async fn get(&self, path: &str) -> Response {
        self.send(self.request(Method::GET, path)).await
    }

    pub async fn delete(&self, path: &str) -> Response {
        self.send(self.request(Method::DELETE, path)).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Response {
        self.send(self.request(Method::POST, path).json(&body))
            .await
    }

    pub async fn put(&self, path: &str, body: Value) -> Response {
        self.send(self.request(Method::PUT, path).json(&body)).await
    }

    pub async fn patch(&self, path: &str, body: Value) -> Response {
        self.send(self.request(Method::PATCH, path).json(&body))
            .await
    }

    /// Creates something, which must be possible: `POST`, 201.
    #[track_caller]
    pub fn create(&self, path: &str, body: Value) -> impl Future<Output = Response> {
        self.must(201, self.request(Method::POST, path).json(&body))
    }

    /// Does something, which must be possible: `POST`, 200.
    #[track_caller]
    pub fn act(&self, path: &str, body: Value) -> impl Future<Output = Response> {
        self.must(200, self.request(Method::POST, path).json(&body))
    }

    /// Changes something, which must be possible: `PUT`, 200.
    #[track_caller]
    pub fn change(&self, path: &str, body: Value) -> impl Future<Output = Response> {
        self.must(200, self.request(Method::PUT, path).json(&body))
    }

    /// Deletes something, which must be possible: `DELETE`, 204.
    #[track_caller]
    pub fn remove(&self, path: &str) -> impl Future<Output = Response> {
        self.must(204, self.request(Method::DELETE, path))
    }

    /// Sends a request whose answer must have this status; the failure names the line of the test.
    #[track_caller]
    fn must(&self, status: u16, request: RequestBuilder) -> impl Future<Output = Response> {
        let test = Location::caller();
        async move {
            let answer = self.send(request).await;
            let Response {
                status: got, body, ..
            } = &answer;
            assert_eq!(*got, status, "{test}: body: {body:#}");
            answer
        }
    }

    /// A request that the test completes itself, for [`Self::send`].
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = format!("{}{path}", self.base);
        self.http
            .request(method, url)
            .headers(self.credentials.clone())
    }

    /// Sends a request.
    ///
    /// # Panics
    /// When there is no answer. A test that expects none uses [`Self::try_send`].
    pub async fn send(&self, mut request: RequestBuilder) -> Response {
        let deadline = Instant::now() + patience();
        loop {
            let again = self.is_patient.then(|| request.try_clone()).flatten();
            let answer = self.try_send(request).await.expect("an answer");
            match again {
                Some(again) if answer.status == 503 && Instant::now() < deadline => request = again,
                _ => return answer,
            }
            sleep(Duration::from_millis(200)).await;
        }
    }

    /// Sends a request to a server that may be gone.
    pub async fn try_send(&self, request: RequestBuilder) -> reqwest::Result<Response> {
        let (http, request) = request.build_split();
        let request = request?;
        let method = request.method().clone();
        let answer = http.execute(request).await?;
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        let url = answer.url().clone();
        let text = answer.text().await?;
        let body = match text.as_str() {
            "" => Value::Null,
            text => serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned())),
        };
        if self.is_documented {
            documented::check(&method, &url, status, &body);
        }
        Ok(Response {
            status,
            headers,
            body,
            received: self.clock.now(),
        })
    }

    /// Opens a stream of events; see [`crate::sse::Stream`].
    pub async fn stream(&self, path: &str) -> crate::sse::Stream {
        // A stream does not end, so no time-out over the whole; each event has one of its own.
        let request = self
            .request(Method::GET, path)
            .timeout(Duration::from_secs(3_600));
        crate::sse::Stream::open(request).await
    }
}

/// The statuses of requests that were sent at the same time, in ascending order.
#[must_use]
pub fn statuses<const N: usize>(answers: [&Response; N]) -> [u16; N] {
    let mut statuses = answers.map(|answer| answer.status);
    statuses.sort_unstable();
    statuses
}

/// An answer, read to its end.
#[derive(Clone, Debug)]
pub struct Response {
    pub status: u16,
    pub headers: HeaderMap,
    /// JSON; `null` for an empty body, a string for one that is no JSON.
    pub body: Value,
    received: OffsetDateTime,
}

impl Response {
    /// Asserts status and whole body; see [`crate::expect`] for placeholders.
    #[track_caller]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "callers write json!(...) in place"
    )]
    pub fn expect(&self, status: u16, body: Value) -> &Self {
        let differences = differences(&body, &self.body, self.received);
        assert!(
            self.status == status && differences.is_empty(),
            "expected {status}, got {}\n{}\nbody: {:#}",
            self.status,
            differences.join("\n"),
            self.body,
        );
        self
    }

    /// Asserts a refusal with its message.
    #[track_caller]
    pub fn expect_error(&self, status: u16, message: &str) -> &Self {
        self.expect(status, serde_json::json!({"error": message}))
    }

    /// Asserts the warnings that the body lists, and returns the answer without them.
    ///
    /// # Panics
    /// When there are others, or none.
    #[track_caller]
    #[must_use]
    pub fn without_warnings(&self, expected: &Value) -> Self {
        let mut rest = self.clone();
        let members = rest.body.as_object_mut();
        let warnings = members.and_then(|members| members.remove("warnings"));
        assert_eq!(warnings.as_ref(), Some(expected));
        rest
    }

    /// Asserts the status alone, where the body is somebody else's test.
    #[track_caller]
    pub fn expect_status(&self, status: u16) -> &Self {
        assert_eq!(self.status, status, "body: {:#}", self.body);
        self
    }

    /// A text in the body, by JSON pointer.
    #[track_caller]
    #[must_use]
    pub fn text(&self, pointer: &str) -> String {
        let found = self.body.pointer(pointer).and_then(Value::as_str);
        found
            .unwrap_or_else(|| panic!("no text at {pointer} of {:#}", self.body))
            .to_owned()
    }

    /// A header that must be there and be text.
    #[track_caller]
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        let value = self
            .headers
            .get(name)
            .unwrap_or_else(|| panic!("no header {name}"));
        value.to_str().expect("headers of ours are text")
    }
}
