//! One call to an address that a user gave: request, answer, and client.
//!
//! The client never looks names up. The caller supplies the checked addresses for the duration of the call; without them there is
//! no connection, so a second look-up cannot lead to an unchecked address.

use std::{error::Error, io, net::IpAddr, net::SocketAddr, sync::LazyLock};

use bytes::{Bytes, BytesMut};
use reqwest::{
    Method, StatusCode,
    dns::{Addrs, Name, Resolve, Resolving},
    header::HeaderMap,
    redirect, retry,
};
use serving::trace::{self, KeyValue, SpanKind};
use tokio::time::Instant;

use super::{resolver::LookupError, user_url::UserUrl};

tokio::task_local! {
    /// The addresses that the current task may connect to.
    static CHECKED: Vec<SocketAddr>;
}

/// A request, without its address.
pub struct Outgoing {
    pub method: Method,
    /// Headers besides `Host`, `Accept` and `Content-Length`, which the client adds.
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// The head of an answer. Dropping it closes the connection.
#[derive(Debug)]
pub struct Response {
    /// Redirects are not followed, but returned like any other status.
    pub status: StatusCode,
    /// The headers: at most 100, in about 400 KiB.
    pub headers: HeaderMap,
    /// Whether it came from an address that only the operator's settings permit.
    pub is_private: bool,
    answer: reqwest::Response,
}

/// The part of a body that was read.
#[derive(Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// Up to the requested number of bytes.
    pub bytes: Bytes,
    pub is_whole: bool,
}

/// Why there is no answer. Neither the message nor its causes contain the address: its path and query may be secret.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// The given address, or one of the name's, must not be called. No connection was made.
    #[error("the address is private, local or reserved")]
    Refused,
    /// The name has no address, or the look-up failed. No connection was made.
    #[error("the host name cannot be looked up")]
    NotFound(#[source] io::Error),
    /// Too many look-ups were running, in total or for the organization. No connection was made.
    #[error("too many host names are being looked up")]
    Busy,
    /// The time for the whole request was over.
    #[error("no answer in time")]
    TimedOut,
    /// Connection refused, or TLS failed. Nothing was sent.
    #[error("no connection")]
    NoConnection(#[source] reqwest::Error),
    /// The connection broke, or the answer was not HTTP. The request may have had an effect.
    #[error("no answer that can be understood")]
    NoAnswer(#[source] reqwest::Error),
}

/// The client of all calls of this process: HTTP/1.1, where unread answers are not buffered; a new connection for each call.
///
/// Without certificates of authorities on this system, plain HTTP still works, and an error is logged.
static CLIENT: LazyLock<reqwest::Client> = LazyLock::new(|| {
    let builder = || {
        reqwest::Client::builder()
            .http1_only()
            .no_proxy()
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            .pool_max_idle_per_host(0)
            .dns_resolver(Checked)
    };
    builder().build().unwrap_or_else(|error| {
        tracing::error!(error = ?error, "no certificates of authorities: https addresses of users cannot be called");
        let without = builder().tls_certs_only([]).build();
        without.expect("a client without certificates needs nothing of the system")
    })
});

/// Reads the system's certificates, unless that is done.
pub(super) fn prepare() {
    LazyLock::force(&CLIENT);
}

/// The checked addresses of a call.
pub struct Place {
    pub(super) addresses: Vec<IpAddr>,
    pub(super) is_private: bool,
}

impl Place {
    /// Whether it has an address that only the operator's settings permit.
    pub const fn is_private(&self) -> bool {
        self.is_private
    }
}

/// Calls `url` at its checked addresses.
pub(super) async fn send(
    url: &UserUrl,
    place: Place,
    request: Outgoing,
    deadline: Instant,
) -> Result<Response, SendError> {
    let Place {
        addresses,
        is_private,
    } = place;
    // The system puts the best first. The client adds the port.
    let addresses = addresses
        .into_iter()
        .take(8)
        .map(|address| SocketAddr::new(address, 0))
        .collect();
    let Outgoing {
        method,
        mut headers,
        body,
    } = request;
    // Not the address, which may contain a credential.
    let attributes = vec![KeyValue::new("http.request.method", method.to_string())];
    let sending = async {
        trace::inject(&mut headers);
        let mut call = CLIENT
            .request(method, url.url().clone())
            .headers(headers)
            .timeout(deadline.saturating_duration_since(Instant::now()));
        if !body.is_empty() {
            call = call.body(body);
        }
        let answer = CHECKED.scope(addresses, call.send()).await?;
        trace::note(
            "http.response.status_code",
            i64::from(answer.status().as_u16()),
        );
        Ok::<_, reqwest::Error>(answer)
    };
    let mut answer = trace::within("call", SpanKind::Client, || attributes, sending).await?;
    Ok(Response {
        status: answer.status(),
        headers: std::mem::take(answer.headers_mut()),
        is_private,
        answer,
    })
}

impl Response {
    /// The body's first bytes, within the request's time-out. To learn whether there are more than `limit` may take one more
    /// read, or the rest of the time.
    pub async fn read_up_to(mut self, limit: usize) -> Result<Excerpt, SendError> {
        let mut bytes = BytesMut::new();
        let is_whole = self.read_on(&mut bytes, limit).await?;
        bytes.truncate(limit);
        let bytes = bytes.freeze();
        Ok(Excerpt { bytes, is_whole })
    }

    /// Reads until the body ends (and returns whether it did) or exceeds `limit` bytes.
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

impl SendError {
    /// In a few words that contain nothing from the other side, nor its address.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Refused => "the address is private, local or reserved",
            Self::NotFound(_) => "the host name cannot be looked up",
            Self::Busy => "too many host names are being looked up",
            Self::TimedOut => "no answer in time",
            Self::NoConnection(error) => no_connection(error),
            Self::NoAnswer(_) => "the connection broke, or the answer is not HTTP",
        }
    }
}

/// Errors of TLS are wrapped as invalid data.
fn no_connection(error: &reqwest::Error) -> &'static str {
    let mut source = error.source();
    while let Some(error) = source {
        match error.downcast_ref::<io::Error>().map(io::Error::kind) {
            Some(io::ErrorKind::ConnectionRefused) => return "connection refused",
            Some(io::ErrorKind::InvalidData) => return "TLS failed",
            _ => source = error.source(),
        }
    }
    "no connection"
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
