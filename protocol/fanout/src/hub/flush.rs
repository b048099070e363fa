//! Asks the connected edges to upload what they counted, and waits until they have.
//!
//! Requests are numbered; an edge that answers one has answered those before it.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use tokio::sync::{Notify, watch};

use super::{Hub, state::State};

/// Requests to flush, as one session receives them.
#[derive(Debug)]
pub struct Flushes(watch::Receiver<u64>);

impl Flushes {
    pub(super) const fn new(requests: watch::Receiver<u64>) -> Self {
        Self(requests)
    }

    /// The newest request, as soon as there is one that was not received yet. Cancellation safe.
    pub async fn next(&mut self) -> u64 {
        match self.0.changed().await {
            Ok(()) => *self.0.borrow_and_update(),
            // The sender lives as long as the subscription.
            Err(_) => std::future::pending().await,
        }
    }
}

/// The requests that somebody waits for.
#[derive(Debug, Default)]
pub(super) struct Requests {
    /// The number of the last one.
    last: u64,
    open: BTreeMap<u64, Request>,
}

#[derive(Debug)]
struct Request {
    /// Edges that have not answered.
    pending: usize,
    done: Arc<Notify>,
}

impl Requests {
    /// An edge that had answered `before` has answered everything up to `now`, or will answer no more.
    fn answered(&mut self, before: u64, now: u64) {
        if before >= now {
            return;
        }
        for request in self.open.range_mut(before + 1..=now) {
            let request = request.1;
            request.pending = request.pending.saturating_sub(1);
            if request.pending == 0 {
                request.done.notify_one();
            }
        }
    }
}

impl Hub {
    /// Has every connected edge that counts flush, and waits until all have, at most for `patience`.
    pub async fn flush(&self, patience: Duration) {
        let (request, done) = self.state().ask_to_flush();
        let open = Open { hub: self, request };
        if tokio::time::timeout(patience, done.notified())
            .await
            .is_err()
        {
            tracing::debug!("not all edges flushed their usage in time");
        }
        drop(open);
    }

    pub(super) fn listen_for_flushes(&self, id: u64) {
        let mut state = self.state();
        let last = state.requests.last;
        if let Some(connected) = state.connected.get_mut(&id) {
            connected.flush = Some(last);
        }
    }

    pub(super) fn flushed(&self, id: u64, request: u64) {
        let state = &mut *self.state();
        let connected = state.connected.get_mut(&id);
        if let Some(last) = connected.and_then(|connected| connected.flush.as_mut()) {
            // An edge can only have answered what was asked.
            let now = request.min(state.requests.last).max(*last);
            state.requests.answered(*last, now);
            *last = now;
        }
    }
}

impl State {
    fn ask_to_flush(&mut self) -> (u64, Arc<Notify>) {
        self.requests.last += 1;
        let last = self.requests.last;
        let mut pending = 0;
        for connected in self.connected.values() {
            connected.signals.flush.send_replace(last);
            pending += usize::from(connected.flush.is_some());
        }
        let done = Arc::new(Notify::new());
        if pending == 0 {
            done.notify_one();
        }
        let request = Request {
            pending,
            done: Arc::clone(&done),
        };
        self.requests.open.insert(last, request);
        (last, done)
    }

    /// An edge has left: nobody waits for its answer any more.
    pub(super) fn flushes_no_more(&mut self, flush: Option<u64>) {
        if let Some(last) = flush {
            let newest = self.requests.last;
            self.requests.answered(last, newest);
        }
    }
}

/// A request that is waited for, until dropped.
struct Open<'a> {
    hub: &'a Hub,
    request: u64,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.hub.state().requests.open.remove(&self.request);
    }
}
