//! Somebody who receives webhooks, on loopback: remembers what was posted, and answers as the test says.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;

use crate::{
    patience::eventually,
    server::{Cut, Server},
};

/// A receiver. Dropping it stops it.
pub struct Receiver {
    server: Server,
    inbox: Arc<Inbox>,
}

#[derive(Default)]
struct Inbox {
    received: Mutex<Vec<Received>>,
    answers: Mutex<VecDeque<Answer>>,
    /// Requests in progress, and the most there were.
    now: AtomicUsize,
    most: AtomicUsize,
    /// What is not answered while it is set.
    held: AtomicBool,
    release: Gate,
}

struct Gate(Semaphore);

impl Default for Gate {
    fn default() -> Self {
        Self(Semaphore::new(0))
    }
}

/// A request.
#[derive(Clone, Debug)]
pub struct Received {
    pub path: String,
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// What becomes of a request.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A status, with a short body.
    Status(u16),
    /// A redirect to this address.
    Redirect(String),
    /// No answer.
    Hang,
    /// The connection is closed.
    Close,
    /// 200, and a body that never ends.
    Endless,
}

impl Receiver {
    /// One that answers 200.
    #[must_use]
    pub fn start() -> Self {
        let inbox = Arc::<Inbox>::default();
        let router = Router::new()
            .fallback(receive)
            .with_state(Arc::clone(&inbox));
        Self {
            server: Server::start(|_| router),
            inbox,
        }
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.server.address
    }

    /// An address to be told at, with this path.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.server.address)
    }

    /// Answers the next requests so, one after the other, and 200 afterwards.
    pub fn answers(&self, answers: impl IntoIterator<Item = Answer>) {
        lock(&self.inbox.answers).extend(answers);
    }

    /// Answers nothing until [`Self::release`].
    pub fn hold(&self) {
        self.inbox.held.store(true, Ordering::SeqCst);
    }

    /// Answers what was held, and everything from now on.
    pub fn release(&self) {
        self.inbox.held.store(false, Ordering::SeqCst);
        self.inbox.release.0.add_permits(Semaphore::MAX_PERMITS / 2);
    }

    /// What came so far.
    #[must_use]
    pub fn received(&self) -> Vec<Received> {
        lock(&self.inbox.received).clone()
    }

    /// How many connections there were.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.server.connections()
    }

    /// The most requests that were in progress at once.
    #[must_use]
    pub fn most_at_once(&self) -> usize {
        self.inbox.most.load(Ordering::SeqCst)
    }

    /// Waits until so many requests have come, and gives all there are.
    pub async fn until(&self, number: usize) -> Vec<Received> {
        let what = format!("{number} requests were received");
        eventually(&what, async || {
            let received = self.received();
            (received.len() >= number).then_some(received)
        })
        .await
    }

    /// Listens no longer.
    pub async fn go_down(&self) {
        self.server.go_down().await;
    }
}

impl Received {
    /// The body as JSON.
    ///
    /// # Panics
    /// When it is none.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }

    /// A header.
    ///
    /// # Panics
    /// When it is missing or no text.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        let value = value.unwrap_or_else(|| panic!("no header {name}"));
        value.to_str().expect("a text")
    }

    /// Whether the signature is that of the body with this secret.
    #[must_use]
    pub fn is_signed_with(&self, secret: &str) -> bool {
        self.header("x-service-signature")
            == format!("sha256={}", hmac(secret.as_bytes(), &self.body))
    }
}

/// HMAC-SHA256 step by step, as RFC 2104 describes it.
#[must_use]
pub fn hmac(secret: &[u8], text: &[u8]) -> String {
    const BLOCK: usize = 64;
    let mut key = [0; BLOCK];
    if secret.len() > BLOCK {
        key[..32].copy_from_slice(&Sha256::digest(secret));
    } else {
        key[..secret.len()].copy_from_slice(secret);
    }
    let inner = Sha256::new()
        .chain_update(key.map(|byte| byte ^ 0x36))
        .chain_update(text);
    let outer = Sha256::new()
        .chain_update(key.map(|byte| byte ^ 0x5c))
        .chain_update(inner.finalize());
    hex::encode(outer.finalize())
}

async fn receive(
    State(inbox): State<Arc<Inbox>>,
    ConnectInfo(cut): ConnectInfo<Cut>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let now = inbox.now.fetch_add(1, Ordering::SeqCst) + 1;
    inbox.most.fetch_max(now, Ordering::SeqCst);
    let leaving = Leaving(Arc::clone(&inbox));
    let path = uri.path().to_owned();
    lock(&inbox.received).push(Received {
        path,
        headers,
        body,
    });
    if inbox.held.load(Ordering::SeqCst) {
        drop(inbox.release.0.acquire().await);
    }
    let answer = lock(&inbox.answers).pop_front();
    let response = Response::builder();
    let response = match answer.unwrap_or(Answer::Status(200)) {
        Answer::Status(status) => response.status(status).body(Body::from("thank you")),
        Answer::Redirect(to) => response
            .status(302)
            .header("location", to)
            .body(Body::empty()),
        Answer::Hang => std::future::pending().await,
        Answer::Close => {
            cut.now();
            response.body(Body::empty())
        }
        Answer::Endless => {
            let chunks = futures_util::stream::unfold((), async |()| {
                tokio::time::sleep(Duration::from_millis(1)).await;
                Some((
                    Ok::<_, std::io::Error>(Bytes::from_static(&[b'x'; 1024])),
                    (),
                ))
            });
            response.body(Body::from_stream(chunks))
        }
    };
    drop(leaving);
    response.expect("a response")
}

/// Counts a request that is over, also when the other side gave up.
struct Leaving(Arc<Inbox>);

impl Drop for Leaving {
    fn drop(&mut self) {
        self.0.now.fetch_sub(1, Ordering::SeqCst);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4231, test cases 2 and 6: a short key, and one that is longer than a block.
    #[test]
    fn the_documented_signatures_come_out() {
        assert_eq!(
            hmac(b"Jefe", b"what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        assert_eq!(
            hmac(
                &[0xaa; 131],
                b"Test Using Larger Than Block-Size Key - Hash Key First"
            ),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        );
    }
}
