//! Request bodies that were answered before they were read (RFC 9112, sections 9.3 and 9.6).
//!
//! HTTP/1 carries one request after the other, so the rest of a body has to be read before the next head. hyper ends the
//! connection when the rest has not arrived yet, and does not say so: a client that keeps its connections finds this one
//! reset under its next request. So the rest is read and dropped before the answer is sent, as long as it is no more than a
//! handler would have read; otherwise the answer says that the connection ends with it.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    body::{Body, HttpBody},
    http::{HeaderValue, Request, Response, header},
};
use bytes::Bytes;
use futures_util::StreamExt;
use hyper::body::{Frame, Incoming, SizeHint};
use parking_lot::Mutex;
use tokio::{
    io::AsyncReadExt,
    net::TcpStream,
    time::{sleep, timeout},
};

use crate::body::MAX_BODY;

/// How long the rest of a body is waited for.
const REST_PATIENCE: Duration = Duration::from_secs(2);

/// What is dropped without a pause, and how much of the rest a second: whoever is refused again and again with large bodies waits
/// for its own, and not for all that a processor can drop.
const AT_ONCE: usize = 64 * 1024;
const RATE: f64 = 8.0 * 1024.0 * 1024.0;

/// What one connection has not read.
#[derive(Clone, Debug, Default)]
pub(super) struct Unread(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    /// What a handler left of the body of the last request.
    left: Mutex<Option<Left>>,
    /// Something is left for good.
    has_rest: AtomicBool,
}

#[derive(Debug)]
struct Left {
    body: Incoming,
    /// The client sends it without having been asked to.
    is_coming: bool,
}

impl Unread {
    /// Notes what the handler will leave of the request's body.
    pub(super) fn watch(&self, request: Request<Incoming>) -> Request<Body> {
        let is_coming = !request.headers().contains_key(header::EXPECT);
        request.map(|body| {
            Body::new(Watched {
                left: Some(Left { body, is_coming }),
                unread: self.clone(),
            })
        })
    }

    /// Reads and drops what the handler left, or has the answer say that the connection ends.
    pub(super) async fn settle(&self, mut answer: Response<Body>) -> Response<Body> {
        let left = self.0.left.lock().take();
        let Some(left) = left else {
            return answer;
        };
        let is_short = left.body.size_hint().lower() <= MAX_BODY as u64;
        let is_read = left.is_coming
            && is_short
            && timeout(REST_PATIENCE, read_and_drop(left.body))
                .await
                .unwrap_or(false);
        if !is_read {
            self.0.has_rest.store(true, Ordering::Relaxed);
            let headers = answer.headers_mut();
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        answer
    }

    /// Goes on reading, within bounds, from a client that has its answer: if anything that it sent were left, it would see a
    /// reset in place of the answer.
    pub(super) async fn linger(&self, socket: Option<TcpStream>) {
        let Some(mut socket) = socket.filter(|_| self.0.has_rest.load(Ordering::Relaxed)) else {
            return;
        };
        let read = async {
            let mut dropped = vec![0; 16 * 1024];
            let mut total = 0;
            while let Ok(read @ 1..) = socket.read(&mut dropped).await {
                total += read;
                if total > 16 * MAX_BODY {
                    return;
                }
                pause(read, total).await;
            }
        };
        drop(timeout(REST_PATIENCE, read).await);
    }
}

/// Whether the body ended before it became too much.
async fn read_and_drop(body: Incoming) -> bool {
    let mut pieces = Body::new(body).into_data_stream();
    let mut read = 0;
    while let Some(piece) = pieces.next().await {
        let Ok(piece) = piece else {
            return false;
        };
        read += piece.len();
        if read > MAX_BODY {
            return false;
        }
        pause(piece.len(), read).await;
    }
    true
}

/// Holds the rate after a piece, which makes so many bytes in all.
async fn pause(piece: usize, total: usize) {
    if total > AT_ONCE {
        sleep(Duration::from_secs_f64(piece as f64 / RATE)).await;
    }
}

/// A body that tells what is left of it when it is dropped.
struct Watched {
    left: Option<Left>,
    unread: Unread,
}

impl Drop for Watched {
    fn drop(&mut self) {
        let left = self.left.take();
        if let Some(left) = left.filter(|left| !left.body.is_end_stream()) {
            *self.unread.0.left.lock() = Some(left);
        }
    }
}

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let Some(left) = &mut self.left else {
            return Poll::Ready(None);
        };
        // A client that waits to be asked is asked by this.
        left.is_coming = true;
        let frame = Pin::new(&mut left.body).poll_frame(context);
        if matches!(frame, Poll::Ready(None | Some(Err(_)))) {
            self.left = None;
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        let body = self.left.as_ref().map(|left| &left.body);
        body.is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        let body = self.left.as_ref().map(|left| &left.body);
        body.map_or_else(|| SizeHint::with_exact(0), HttpBody::size_hint)
    }
}
