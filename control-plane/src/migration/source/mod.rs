//! Reading a source platform's API: politely (at most 50 requests a second), within bounds, and never at another host than the one
//! that was named.

mod answer;
mod pace;

use std::{
    fmt,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use bytes::Bytes;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use secrecy::{ExposeSecret, SecretString};
use serde::de::DeserializeOwned;
use serde_json::Value;
use serving::{clock::Clock, numbers};
use tokio::time::{Instant, sleep_until, timeout_at};
use url::Url;

pub use self::answer::SourceError;
use self::{answer::Answer, pace::Pace};
use crate::{
    blocking::blocking,
    ids::OrgId,
    outbound::{
        HeaderMap, HeaderValue, Method, StatusCode,
        guard::{Guard, Outgoing, UserUrl},
        header,
    },
};

/// Bytes of an answer.
const MAX_ANSWER: usize = 64 * 1024 * 1024;
/// Bytes of all answers together: what an import holds in memory.
const MAX_READ: usize = 256 * 1024 * 1024;
/// Answers that are parsed where they arrive. Larger ones would hold up other requests.
const SMALL: usize = 64 * 1024;
/// Redirects on the way to an answer.
const MAX_REDIRECTS: usize = 5;
/// Tries of a request after the first, and the pause before the first of them; it doubles each time.
const RETRIES: u32 = 3;
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// Of items that are read from a list.
pub const MAX_ITEMS: usize = 20_000;
/// Of pages that a list has.
pub const MAX_PAGES: usize = 1_000;

/// How much a source holds, found out before an import is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Totals {
    /// Flags that are not archived.
    pub flags: usize,
    /// Environments.
    pub environments: usize,
}

const IN_A_SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// A text as one segment of a path, or as a value of a query.
pub fn encoded(text: &str) -> String {
    utf8_percent_encode(text, IN_A_SEGMENT).to_string()
}

/// The API of a source, for one import. What it sends is counted and paced together, however many requests are made at once.
pub struct Api {
    guard: Guard,
    clock: Clock,
    org_id: OrgId,
    /// Without a trailing slash.
    base: String,
    origin: url::Origin,
    headers: HeaderMap,
    credential: SecretString,
    pace: Pace,
    read: AtomicUsize,
    deadline: Instant,
}

impl Api {
    /// `headers` go with every request, the credential among them; it is also taken out of whatever the source says. Nothing is
    /// waited for beyond `deadline`.
    pub fn new(
        guard: Guard,
        clock: Clock,
        org_id: OrgId,
        base: &UserUrl,
        mut headers: HeaderMap,
        credential: SecretString,
        deadline: Instant,
    ) -> Self {
        headers.insert(header::ACCEPT, HeaderValue::from_static("application/json"));
        headers.insert(header::USER_AGENT, HeaderValue::from_static("Halyard"));
        Self {
            guard,
            clock,
            org_id,
            base: base.as_str().trim_end_matches('/').to_owned(),
            origin: base.url().origin(),
            headers,
            credential,
            pace: Pace::new(),
            read: AtomicUsize::new(0),
            deadline,
        }
    }

    /// The address that was named, without a trailing slash.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// The JSON at a path below the base, with a leading slash and the query, or at a link of an earlier answer.
    pub async fn get<T>(&self, path: &str) -> Result<T, SourceError>
    where
        T: DeserializeOwned + Send + 'static,
    {
        self.call(Method::GET, path, Bytes::new()).await
    }

    /// The same; `None` where the source answers with one of these statuses.
    pub async fn find<T>(&self, path: &str, none: &[u16]) -> Result<Option<T>, SourceError>
    where
        T: DeserializeOwned + Send + 'static,
    {
        match self.get(path).await {
            Err(SourceError::Refused { status, .. }) if none.contains(&status) => Ok(None),
            found => found.map(Some),
        }
    }

    /// What the source answers to a body.
    pub async fn post<T>(&self, path: &str, body: &Value) -> Result<T, SourceError>
    where
        T: DeserializeOwned + Send + 'static,
    {
        self.call(Method::POST, path, body.to_string().into()).await
    }

    async fn call<T>(&self, method: Method, path: &str, body: Bytes) -> Result<T, SourceError>
    where
        T: DeserializeOwned + Send + 'static,
    {
        let mut url = self.address(path)?;
        for _ in 0..=MAX_REDIRECTS {
            let answer = self.ask(&method, &url, &body).await?;
            if answer.status.is_redirection() {
                let to = answer.location.ok_or(SourceError::Malformed)?;
                url = self.guarded(url.url(), &to)?;
                continue;
            }
            if !answer.status.is_success() {
                return Err(self.refused(&answer));
            }
            return parsed(answer.body).await;
        }
        Err(SourceError::Malformed)
    }

    /// Asks until there is an answer that is neither a failure nor a plea for patience.
    async fn ask(
        &self,
        method: &Method,
        url: &UserUrl,
        body: &Bytes,
    ) -> Result<Answer, SourceError> {
        let mut pause = FIRST_PAUSE;
        for attempt in 0.. {
            timeout_at(self.deadline, self.pace.wait())
                .await
                .map_err(|_| SourceError::TimedOut)?;
            let answer = self.attempt(method, url, body).await;
            let wait = match &answer {
                Ok(answer) if answer.is_transient() => answer.wait,
                Err(error) if error.is_transient() => None,
                _ => return answer,
            };
            if attempt == RETRIES {
                return answer.and_then(|answer| Err(answer.failure()));
            }
            let jitter = pause.mul_f64(rand::random::<f64>());
            let until = Instant::now() + wait.unwrap_or(Duration::ZERO).max(pause) + jitter;
            if until >= self.deadline {
                return answer.and_then(|answer| Err(answer.failure()));
            }
            sleep_until(until).await;
            pause *= 2;
        }
        unreachable!("the last attempt returns")
    }

    async fn attempt(
        &self,
        method: &Method,
        url: &UserUrl,
        body: &Bytes,
    ) -> Result<Answer, SourceError> {
        let mut headers = self.headers.clone();
        if !body.is_empty() {
            let json = HeaderValue::from_static("application/json");
            headers.insert(header::CONTENT_TYPE, json);
        }
        let request = Outgoing {
            method: method.clone(),
            headers,
            body: body.clone(),
        };
        let exchange = async {
            let response = self.guard.send(url, self.org_id, request).await?;
            Answer::read(response, MAX_ANSWER, self.clock.now()).await
        };
        let answer = timeout_at(self.deadline, exchange).await;
        let answer = answer.map_err(|_| SourceError::TimedOut)??;
        let length = answer.body.len();
        if self.read.fetch_add(length, Ordering::Relaxed) + length > MAX_READ {
            return Err(SourceError::TooLarge);
        }
        Ok(answer)
    }

    /// The address of a path or link.
    fn address(&self, path: &str) -> Result<UserUrl, SourceError> {
        if path.starts_with('/') {
            let url = format!("{}{path}", self.base);
            return self.parse(&url);
        }
        let base = Url::parse(&self.base).map_err(|_| SourceError::Elsewhere)?;
        self.guarded(&base, path)
    }

    /// A link that the source gives, if it leads to the source.
    fn guarded(&self, base: &Url, link: &str) -> Result<UserUrl, SourceError> {
        let url = base.join(link).map_err(|_| SourceError::Malformed)?;
        if url.origin() != self.origin {
            return Err(SourceError::Elsewhere);
        }
        self.parse(url.as_str())
    }

    fn parse(&self, url: &str) -> Result<UserUrl, SourceError> {
        let parsed = self.guard.parse("base_url", url);
        parsed.map_err(|_| SourceError::Elsewhere)
    }

    fn refused(&self, answer: &Answer) -> SourceError {
        SourceError::Refused {
            status: answer.status.as_u16(),
            words: answer.words(self.credential.expose_secret()),
        }
    }
}

/// Whether a status says that the source is busy or failing, and another attempt may help.
fn is_transient(status: StatusCode) -> bool {
    status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error()
}

async fn parsed<T>(body: Bytes) -> Result<T, SourceError>
where
    T: DeserializeOwned + Send + 'static,
{
    let is_small = body.len() <= SMALL;
    let parse = move || {
        // What such a number belongs to is left out by itself, with an entry.
        let mut body = Vec::from(body);
        numbers::mask_unstorable(&mut body);
        serde_json::from_slice(&body).map_err(|_| SourceError::Malformed)
    };
    if is_small {
        parse()
    } else {
        blocking(parse).await
    }
}

/// Without the credential.
impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Api").field("base", &self.base).finish()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn a_number_that_cannot_be_read_does_not_fail_the_whole_answer() {
        let body =
            Bytes::from_static(br#"[{"key": "a", "value": 1e400}, {"key": "b", "value": 1e-400}]"#);
        let parsed: Value = parsed(body).await.unwrap();
        // Neither can be stored, and both belong to one flag only.
        assert_eq!(
            parsed,
            json!([{"key": "a", "value": 9e99}, {"key": "b", "value": 9e99}])
        );
    }
}
