//! HTTP/2 connections that no request uses.
//!
//! Pings find out whether the client is there, not whether it has anything to ask: without a bound, one request would
//! keep a connection for as long as pings are answered.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use axum::{body::Body, http::Response};
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::{sync::watch, time::timeout};

/// How many requests of one connection are under way; `None` before the first.
#[derive(Clone, Debug, Default)]
pub(super) struct Requests(watch::Sender<Option<usize>>);

/// A request that is under way until this is dropped.
#[derive(Debug)]
pub(super) struct Request(Requests);

impl Requests {
    /// A request begins.
    pub(super) fn begin(&self) -> Request {
        self.0
            .send_modify(|open| *open = Some(open.unwrap_or(0) + 1));
        Request(self.clone())
    }

    /// Waits until there has been a request, and then none for this long.
    pub(super) async fn pause_for(&self, time: Duration) {
        let mut open = self.0.subscribe();
        loop {
            // The sender is `self`, so that no wait fails.
            drop(open.wait_for(|open| *open == Some(0)).await);
            let next = open.wait_for(|open| *open != Some(0));
            if timeout(time, next).await.is_err() {
                return;
            }
        }
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        self.0
            .0
            .send_modify(|open| *open = open.map(|open| open - 1));
    }
}

impl Request {
    /// Keeps the request under way until the answer has been sent.
    pub(super) fn until_sent(self, answer: Response<Body>) -> Response<Body> {
        answer.map(|body| {
            Body::new(Sent {
                body,
                _request: self,
            })
        })
    }
}

struct Sent {
    body: Body,
    _request: Request,
}

impl HttpBody for Sent {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
