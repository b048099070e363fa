//! Asks the connected edges to upload what they counted, and waits until they have.
//!
//! Requests are numbered; an edge that answers one has answered those before it.

use std::time::Duration;

use tokio::sync::watch;

use super::Hub;

/// Requests to flush, as one session receives them.
#[derive(Debug)]
pub(in crate::publish) struct Flushes(watch::Receiver<u64>);

impl Flushes {
    pub(super) const fn new(requests: watch::Receiver<u64>) -> Self {
        Self(requests)
    }

    /// The newest request, as soon as there is one that was not received yet. Cancellation safe.
    pub(in crate::publish) async fn next(&mut self) -> u64 {
        match self.0.changed().await {
            Ok(()) => *self.0.borrow_and_update(),
            // The sender lives as long as the subscription.
            Err(_) => std::future::pending().await,
        }
    }
}

impl Hub {
    /// Has every connected edge that counts flush, and waits until all have, at most for `patience`.
    pub(in crate::publish) async fn flush(&self, patience: Duration) {
        let mut progress = self.progress.subscribe();
        let request = self.ask_to_flush();
        let all = async {
            while self
                .state()
                .connected
                .values()
                .any(|edge| edge.flush.is_some_and(|last| last < request))
            {
                if progress.changed().await.is_err() {
                    return;
                }
            }
        };
        if tokio::time::timeout(patience, all).await.is_err() {
            tracing::debug!("not all edges flushed their usage in time");
        }
    }

    fn ask_to_flush(&self) -> u64 {
        let mut state = self.state();
        state.flush += 1;
        for connected in state.connected.values() {
            connected.signals.flush.send_replace(state.flush);
        }
        state.flush
    }

    pub(super) fn listen_for_flushes(&self, id: u64) {
        let mut state = self.state();
        let last = state.flush;
        if let Some(connected) = state.connected.get_mut(&id) {
            connected.flush = Some(last);
        }
    }

    pub(super) fn flushed(&self, id: u64, request: u64) {
        let mut state = self.state();
        if let Some(connected) = state.connected.get_mut(&id) {
            connected.flush = connected.flush.max(Some(request));
        }
        drop(state);
        self.progress.send_replace(());
    }
}
