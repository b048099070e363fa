//! One call to an address that a user gave: what is sent, what comes back, and the client between them.
//!
//! The client never looks names up. Whoever calls hands it the checked addresses for the duration of the call, and without them it
//! connects to nothing, so an address that was not checked cannot be reached by a second look-up.

use std::{io, net::IpAddr, net::SocketAddr, time::Duration};

use bytes::{Bytes, BytesMut};
use reqwest::{
    Method, StatusCode,
    dns::{Addrs, Name, Resolve, Resolving},
    header::HeaderMap,
    redirect, retry,
};
use tokio::time::Instant;

use super::{resolver::LookupError, user_url::UserUrl};

/// How many addresses of a name are tried: the first ones, since the system puts the best first.
const MAX_TRIED: usize = 8;

tokio::task_local! {
    /// Where the call of this task connects to.
    static CHECKED: Vec<SocketAddr>;
}

/// A request, without its address.
pub struct Outgoing {
    /// Its method.
    pub method: Method,
    /// Its headers, besides `Host`, `Accept` and `Content-Length`, which the client adds.
    pub headers: HeaderMap,
    /// Its body; none when empty.
    pub body: Bytes,
}

/// The beginning of an answer. The connection ends with it.
#[derive(Debug)]
pub struct Response {
    /// The status. Redirects are not followed: they come back like any other.
    pub status: StatusCode,
    /// The headers: at most 100, in about 400 KiB.
    pub headers: HeaderMap,
    /// Whether it is from an address that is refused unless the operator allows it.
    pub is_private: bool,
    answer: reqwest::Response,
}

/// What was read of a body.
#[derive(Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// As many bytes as were asked for, or fewer where the body has fewer.
    pub bytes: Bytes,
    /// Whether that is the whole body.
    pub is_whole: bool,
}

/// Why there is no answer. No words of it, nor of its causes, contain the address: its path and query may be secret.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// An address of the name, or the one given, must not be called. No connection was made.
    #[error("the address is private, local or reserved")]
    Refused,
    /// The name has no address, or the look-up failed. No connection was made.
    #[error("the host name cannot be looked up")]
    NotFound(#[source] io::Error),
    /// Too many names were being looked up, by everybody or for the organization. No connection was made.
    #[error("too many host names are being looked up")]
    Busy,
    /// The time for the whole request was over.
    #[error("no answer in time")]
    TimedOut,
    /// Nobody listens there, or TLS failed. Nothing was sent.
    #[error("no connection")]
    NoConnection(#[source] reqwest::Error),
    /// The connection broke, or what came is no HTTP. The request may have had an effect.
    #[error("no answer that can be understood")]
    NoAnswer(#[source] reqwest::Error),
}

/// The client of all calls: HTTP/1.1, where an answer that nobody reads takes up no memory; a new connection for each call.
/// `timeout` is for connecting, to all addresses together.
///
/// Without certificates of authorities on this system, plain HTTP still works, and a line of the log says so.
pub(super) fn client(timeout: Duration) -> reqwest::Client {
    let builder = || {
        reqwest::Client::builder()
            .http1_only()
            .no_proxy()
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            .pool_max_idle_per_host(0)
            .connect_timeout(timeout)
            .dns_resolver(Checked)
    };
    builder().build().unwrap_or_else(|error| {
        tracing::error!(error = ?error, "no certificates of authorities: https addresses of users cannot be called");
        let without = builder().tls_certs_only([]).build();
        without.expect("a client without certificates needs nothing of the system")
    })
}

/// Where a call leads: addresses that are checked.
pub struct Place {
    pub(super) addresses: Vec<IpAddr>,
    pub(super) is_private: bool,
}

impl Place {
    /// Whether it has an address that is refused unless the operator allows it.
    pub const fn is_private(&self) -> bool {
        self.is_private
    }
}

/// Calls `url` at a place that it leads to.
pub(super) async fn send(
    http: &reqwest::Client,
    url: &UserUrl,
    place: Place,
    request: Outgoing,
    deadline: Instant,
) -> Result<Response, SendError> {
    let Place {
        addresses,
        is_private,
    } = place;
    // The client puts in the port.
    let addresses = addresses
        .into_iter()
        .take(MAX_TRIED)
        .map(|address| SocketAddr::new(address, 0))
        .collect();
    let Outgoing {
        method,
        headers,
        body,
    } = request;
    let mut call = http
        .request(method, url.url().clone())
        .headers(headers)
        .timeout(deadline.saturating_duration_since(Instant::now()));
    if !body.is_empty() {
        call = call.body(body);
    }
    let mut answer = CHECKED.scope(addresses, call.send()).await?;
    Ok(Response {
        status: answer.status(),
        headers: std::mem::take(answer.headers_mut()),
        is_private,
        answer,
    })
}

impl Response {
    /// The body's first bytes, within the time-out of the request. Where there may be more than `limit`, whether there is
    /// takes one more read, or the rest of the time.
    pub async fn read_up_to(mut self, limit: usize) -> Result<Excerpt, SendError> {
        let mut bytes = BytesMut::new();
        let is_whole = self.read_on(&mut bytes, limit).await?;
        bytes.truncate(limit);
        let bytes = bytes.freeze();
        Ok(Excerpt { bytes, is_whole })
    }

    /// Reads on until the body ends, which it tells, or there are more bytes than `limit`.
    pub async fn read_on(&mut self, bytes: &mut BytesMut, limit: usize) -> Result<bool, SendError> {
        loop {
            match self.answer.chunk().await {
                Ok(None) => return Ok(true),
                Ok(Some(chunk)) => bytes.extend_from_slice(&chunk),
                Err(_) if bytes.len() == limit => return Ok(false),
                Err(error) => return Err(error.into()),
            }
            if bytes.len() > limit {
                return Ok(false);
            }
        }
    }
}

/// Answers the client's look-ups with the addresses of the call.
struct Checked;

impl Resolve for Checked {
    fn resolve(&self, _: Name) -> Resolving {
        let addresses = CHECKED.try_with(Vec::clone);
        Box::pin(async move {
            let addresses: Addrs = Box::new(addresses?.into_iter());
            Ok(addresses)
        })
    }
}

impl From<reqwest::Error> for SendError {
    fn from(error: reqwest::Error) -> Self {
        let error = error.without_url();
        if error.is_timeout() {
            Self::TimedOut
        } else if error.is_connect() {
            Self::NoConnection(error)
        } else {
            Self::NoAnswer(error)
        }
    }
}

impl From<LookupError> for SendError {
    fn from(error: LookupError) -> Self {
        match error {
            LookupError::Busy => Self::Busy,
            LookupError::TimedOut => Self::TimedOut,
            LookupError::NotFound(error) => Self::NotFound(error),
        }
    }
}
