//! HTTP/2 connections that no request uses.
//!
//! Pings find out whether the client is there, not whether it has anything to ask: without a bound, one request would
//! keep a connection for as long as pings are answered.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use axum::{body::Body, http::Response};
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::{sync::watch, time::timeout};

use super::{
    LongLived,
    answers::{Answers, Taken},
    crowd::{Crowd, Held},
};

/// What an answer of unknown length holds at once.
pub(super) const UNKNOWN: u64 = 256 * 1024;

/// The requests of one connection that are under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Requests {
    /// How many; `None` before the first.
    open: watch::Sender<Option<usize>>,
    answers: Answers,
    crowd: Crowd,
}

/// A request that is under way until this is dropped.
#[derive(Debug)]
pub(super) struct Request(Requests);

impl Requests {
    pub(super) fn new(crowd: Crowd) -> Self {
        Self {
            crowd,
            ..Self::default()
        }
    }

    /// A request begins.
    pub(super) fn begin(&self) -> Request {
        self.open
            .send_modify(|open| *open = Some(open.unwrap_or(0) + 1));
        Request(self.clone())
    }

    /// Waits until there has been a request.
    pub(super) async fn begun(&self) {
        // The sender is `self`, so that no wait fails.
        drop(self.open.subscribe().wait_for(Option::is_some).await);
    }

    /// Waits until there has been a request, and then none for this long.
    pub(super) async fn pause_for(&self, time: Duration) {
        let mut open = self.open.subscribe();
        loop {
            // The sender is `self`, so that no wait fails.
            drop(open.wait_for(|open| *open == Some(0)).await);
            let next = open.wait_for(|open| *open != Some(0));
            if timeout(time, next).await.is_err() {
                return;
            }
        }
    }

    /// Ends each answer that the client leaves unread for this long. Never returns.
    pub(super) async fn end_stalled(&self, time: Duration) {
        self.answers.end_stalled(time, &self.crowd).await;
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        self.0
            .open
            .send_modify(|open| *open = open.map(|open| open - 1));
    }
}

impl Request {
    /// Keeps the request under way until the answer has been sent, in pieces of which each is counted.
    pub(super) fn until_sent(self, answer: Response<Body>) -> Response<Body> {
        let upper = answer.body().size_hint().upper();
        // What many small ones hold is little.
        let is_small = upper.is_some_and(|upper| upper <= 4 * 1024);
        let is_counted = !is_small && answer.extensions().get::<LongLived>().is_none();
        let taken = is_counted.then(|| self.0.answers.begin());
        let held = is_counted.then(|| self.0.crowd.hold(upper.unwrap_or(UNKNOWN)));
        answer.map(|body| {
            Body::new(Sent {
                body,
                piece: Bytes::new(),
                taken,
                _held: held,
                _request: self,
            })
        })
    }
}

struct Sent {
    body: Body,
    /// What is left of a part of the body.
    piece: Bytes,
    taken: Option<Arc<Taken>>,
    _held: Option<Held>,
    _request: Request,
}

impl HttpBody for Sent {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        let Some(taken) = &this.taken else {
            return Pin::new(&mut this.body).poll_frame(context);
        };
        if this.piece.is_empty() {
            let next = Pin::new(&mut this.body).poll_frame(context);
            if next.is_pending() {
                taken.is_awaited();
            }
            match ready!(next) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => this.piece = data,
                    Err(other) => return Poll::Ready(Some(Ok(other))),
                },
                ended => return Poll::Ready(ended),
            }
        }
        // The protocol asks for more of a body when it has passed on what it has, so pieces show how much that was.
        let piece = this.piece.split_to(this.piece.len().min(16 * 1024));
        taken.add(piece.len());
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.piece.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let mut hint = self.body.size_hint();
        let left = self.piece.len() as u64;
        if let Some(upper) = hint.upper() {
            hint.set_upper(upper + left);
        }
        hint.set_lower(hint.lower() + left);
        hint
    }
}
