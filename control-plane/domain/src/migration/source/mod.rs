//! Reading a source platform's API: politely (at most 50 requests a second), within bounds, and never at another host than the one
//! that was named.

mod answer;
mod metered;
mod pace;
mod turn;

use std::{
    collections::HashSet,
    fmt,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use importers::plan::Choices;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use secrecy::{ExposeSecret, SecretString};
use serde::de::DeserializeOwned;
use serde_json::Value;
use serving::clock::Clock;
use tokio::{
    sync::Mutex,
    time::{Instant, sleep_until, timeout_at},
};
use url::Url;

use self::{
    answer::Answer,
    metered::{Unread, parsed},
    pace::Pace,
};
pub use self::{answer::SourceError, turn::Turn};
use base::{
    ids::OrgId,
    outbound::{
        HeaderMap, HeaderValue, Method, StatusCode,
        guard::{Guard, Outgoing, Response, UserUrl},
        header,
    },
};

/// How long one request to a source may take.
pub(super) const TIMEOUT: Duration = Duration::from_secs(30);
/// Of items that are read from a list.
pub const MAX_ITEMS: usize = 20_000;
/// Of pages that a list has.
pub const MAX_PAGES: usize = 1_000;

/// How much a source holds, found out before an import is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Totals {
    /// Flags that are not archived.
    pub flags: usize,
    pub environments: usize,
}

/// Refuses choices that do not fit the environments of the source.
pub(super) fn require<'a>(
    choices: &Choices,
    environments: impl Iterator<Item = &'a String>,
) -> Result<(), SourceError> {
    let fits = choices.check(environments.map(String::as_str));
    fits.map_err(SourceError::Unfit)
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
    /// What the answers take in memory. Long ones are read, and all are parsed, one after the other.
    held: Mutex<usize>,
    turn: Turn,
    deadline: Instant,
}

impl Api {
    /// `headers` go with every request, the credential among them; it is also taken out of whatever the source says. Nothing is
    /// waited for beyond `deadline`.
    pub fn new(
        guard: Guard,
        clock: Clock,
        base: &UserUrl,
        mut headers: HeaderMap,
        credential: SecretString,
        turn: Turn,
        deadline: Instant,
    ) -> Self {
        headers.insert(header::ACCEPT, HeaderValue::from_static("application/json"));
        headers.insert(header::USER_AGENT, HeaderValue::from_static("Halyard"));
        Self {
            guard,
            clock,
            org_id: turn.org_id(),
            base: base.as_str().trim_end_matches('/').to_owned(),
            origin: base.url().origin(),
            headers,
            credential,
            pace: Pace::new(),
            read: AtomicUsize::new(0),
            held: Mutex::new(0),
            turn,
            deadline,
        }
    }

    /// The turn, for as long as what was read is held.
    pub fn into_turn(self) -> Turn {
        self.turn
    }

    fn deadline(&self) -> Instant {
        self.turn.ends(self.deadline)
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

    /// All pages of a list of at most `limit` things. `read` adds the items of a page, and returns the address of the next one.
    pub async fn list<P, T>(
        &self,
        first: String,
        things: &'static str,
        limit: usize,
        read: impl Fn(P, &mut Vec<T>) -> Option<String>,
    ) -> Result<Vec<T>, SourceError>
    where
        P: DeserializeOwned + Send + 'static,
    {
        let mut items = Vec::new();
        let mut asked = HashSet::new();
        let mut next = Some(first);
        while let Some(address) = next.filter(|address| asked.insert(address.clone())) {
            if asked.len() > MAX_PAGES {
                return Err(SourceError::too_many("pages", MAX_PAGES));
            }
            next = read(self.get(&address).await?, &mut items);
            if items.len() > limit {
                return Err(SourceError::too_many(things, limit));
            }
        }
        Ok(items)
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
        // Five redirects on the way to an answer.
        for _ in 0..=5 {
            let answer = self.ask(&method, &url, &body).await?;
            if answer.status.is_redirection() {
                let to = answer.location.ok_or(SourceError::Malformed)?;
                url = self.guarded(url.url(), &to)?;
                continue;
            }
            if !answer.status.is_success() {
                return Err(self.refused(&answer));
            }
            return self.parsed(answer).await;
        }
        Err(SourceError::Malformed)
    }

    /// Asks until there is an answer that is neither a failure nor a plea for patience, up to four times, with pauses that double.
    async fn ask(
        &self,
        method: &Method,
        url: &UserUrl,
        body: &Bytes,
    ) -> Result<Answer<'_>, SourceError> {
        let mut pause = Duration::from_millis(100);
        for attempt in 0.. {
            timeout_at(self.deadline(), self.pace.wait())
                .await
                .map_err(|_| SourceError::TimedOut)?;
            let answer = self.attempt(method, url, body).await;
            let wait = match &answer {
                Ok(answer) if answer.is_transient() => answer.wait,
                Err(error) if error.is_transient() => None,
                _ => return answer,
            };
            if attempt == 3 {
                return answer.and_then(|answer| Err(answer.failure()));
            }
            let jitter = pause.mul_f64(rand::random::<f64>());
            let until = Instant::now() + wait.unwrap_or(Duration::ZERO).max(pause) + jitter;
            if until >= self.deadline() {
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
    ) -> Result<Answer<'_>, SourceError> {
        loop {
            match self.exchange(method, url, body).await? {
                Some(answer) => return Ok(answer),
                None => self.turn.take(self.deadline).await?,
            }
        }
    }

    /// `None` where the answer is too long to be read out of turn.
    async fn exchange(
        &self,
        method: &Method,
        url: &UserUrl,
        body: &Bytes,
    ) -> Result<Option<Answer<'_>>, SourceError> {
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
        let deadline = self.deadline().min(Instant::now() + TIMEOUT);
        let place = self.guard.locate(url, self.org_id, deadline).await?;
        let is_private = place.is_private();
        let exchange = async {
            let response = self.guard.send_to(url, place, request, deadline).await?;
            self.read(response).await
        };
        let answer = timeout_at(deadline, exchange).await;
        let answer = answer.unwrap_or(Err(SourceError::TimedOut));
        if is_private {
            answer.map_err(SourceError::without_details)
        } else {
            answer
        }
    }

    async fn read(&self, mut response: Response) -> Result<Option<Answer<'_>>, SourceError> {
        let mut body = BytesMut::new();
        let is_taken = self.turn.is_taken();
        let mut alone = None;
        let mut is_whole = response.read_on(&mut body, turn::LITTLE.0).await?;
        if !is_whole && !is_taken {
            return Ok(None);
        }
        if !is_whole {
            alone = Some(self.held.lock().await);
            is_whole = response.read_on(&mut body, turn::MUCH.0).await?;
        }
        let before = self.read.fetch_add(body.len(), Ordering::Relaxed);
        // All answers together.
        if !is_whole || before + body.len() > 256 * 1024 * 1024 {
            return Err(SourceError::TooLarge);
        }
        let body = body.freeze();
        Ok(Some(Answer::new(&response, body, alone, self.clock.now())))
    }

    async fn parsed<T>(&self, mut answer: Answer<'_>) -> Result<T, SourceError>
    where
        T: DeserializeOwned + Send + 'static,
    {
        let mut held = match answer.alone.take() {
            Some(held) => held,
            None => self.held.lock().await,
        };
        loop {
            let is_taken = self.turn.is_taken();
            // In the turn there is no second attempt.
            let body = match is_taken {
                true => std::mem::take(&mut answer.body),
                false => answer.body.clone(),
            };
            match parsed(body, self.turn.room().saturating_sub(*held)).await {
                Ok((read, taken)) => {
                    *held += taken;
                    return Ok(read);
                }
                Err(Unread::Malformed) => return Err(SourceError::Malformed),
                Err(Unread::TooLarge) if is_taken => return Err(SourceError::TooLarge),
                Err(Unread::TooLarge) => self.turn.take(self.deadline).await?,
            }
        }
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

    fn refused(&self, answer: &Answer<'_>) -> SourceError {
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

/// Without the credential.
impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Api").field("base", &self.base).finish()
    }
}
