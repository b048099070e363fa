//! A connected edge's end of the hub: what to send next, and what the edge reports.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use parking_lot::Mutex;
use protocol::{
    ids::EnvId,
    snapshot::{KeyHash, Version},
    wire::relay::{Refusal, ToRelay},
};
use tokio::{
    sync::{Notify, watch},
    time::{sleep, timeout},
};

use super::{
    Hub,
    fleet::Vitals,
    flush::Flushes,
    listing::Listing,
    subscriber::{Subscriber, Work},
};

/// Why the hub ends a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The database has another history now: the edge has to greet again.
    EpochChanged,
    /// This replica does not see the database: another one may.
    Unsighted,
    /// The edge was told to expect an environment that cannot be sent: it has to greet again.
    GreetAgain,
    /// The certificate is no longer accepted.
    Refused(Refusal),
}

/// How the hub wakes a session.
#[derive(Debug, Default)]
pub(super) struct Signals {
    pub(super) updates: Notify,
    pub(super) wholes: Notify,
    ended: watch::Sender<Option<Ended>>,
    new_keys: watch::Sender<Vec<KeyHash>>,
    pub(super) flush: watch::Sender<u64>,
    pub(super) vitals: Vitals,
    /// Notified when the edge has acknowledged something.
    pub(super) settled: Notify,
    for_relay: ForRelay,
}

/// Messages that wait for the session of a relay.
#[derive(Debug, Default)]
struct ForRelay {
    messages: Mutex<VecDeque<ToRelay>>,
    added: Notify,
}

impl Signals {
    /// Has the session tell its relay; false if too much waits already.
    pub(super) fn send_to_relay(&self, message: ToRelay) -> bool {
        let mut messages = self.for_relay.messages.lock();
        if messages.len() == 256 {
            return false;
        }
        messages.push_back(message);
        self.for_relay.added.notify_one();
        true
    }

    pub(super) async fn next_for_relay(&self) -> ToRelay {
        loop {
            if let Some(message) = self.for_relay.messages.lock().pop_front() {
                return message;
            }
            self.for_relay.added.notified().await;
        }
    }

    pub(crate) fn end(&self, ended: Ended) {
        self.ended.send_replace(Some(ended));
    }

    pub(super) fn new_key(&self, hash: KeyHash) {
        self.new_keys.send_modify(|keys| {
            // New keys that an edge may not have been notified of yet. Beyond that the oldest are dropped: negative answers
            // expire anyway.
            if keys.len() == 64 {
                keys.remove(0);
            }
            keys.push(hash);
        });
    }
}

/// A connection, until dropped.
#[derive(Debug)]
pub struct Subscription {
    pub(super) id: u64,
    pub(super) hub: Arc<Hub>,
    pub(super) signals: Arc<Signals>,
}

impl Subscription {
    pub(super) const fn new(id: u64, hub: Arc<Hub>, signals: Arc<Signals>) -> Self {
        Self { id, hub, signals }
    }

    #[cfg(test)]
    pub(super) const fn id(&self) -> u64 {
        self.id
    }

    /// The next delta or removal to send. Several may be taken before the first is answered.
    pub(crate) async fn next_update(&self) -> Work {
        self.next(&self.signals.updates, Subscriber::take_update)
            .await
    }

    /// The next environment to send whole.
    pub(crate) async fn next_whole(&self) -> Work {
        self.next(&self.signals.wholes, Subscriber::take_whole)
            .await
    }

    /// Cancellation safe: nothing is taken before the future is ready.
    async fn next(
        &self,
        signal: &Notify,
        take: fn(&mut Subscriber, &Listing) -> Option<Work>,
    ) -> Work {
        loop {
            if let Some(work) = self.hub.state().take(self.id, take) {
                return work;
            }
            signal.notified().await;
        }
    }

    /// What was taken is in flight, and leads to `version`.
    pub(crate) fn send(&self, env_id: EnvId, version: Version) {
        self.hub.state().send(self.id, env_id, version);
    }

    /// The edge acknowledged a version, or that an environment is gone. A version older than the one sent means that
    /// the edge could not use it.
    pub fn acknowledge(&self, env_id: EnvId, version: Version) {
        let mut state = self.hub.state();
        state.recent.note(env_id, version, Some(self.id));
        let rejected = state.with(self.id, env_id, |edge, listed| {
            let rejected = edge.is_rejection(env_id, version);
            if !rejected {
                edge.settle(env_id, version, listed);
                // Served unexpectedly: it was in flight when the edge dropped it.
                if let Some(listed) = listed.filter(|_| version > 0) {
                    edge.adopt(env_id, version, listed);
                }
            }
            rejected
        });
        drop(state);
        self.signals.settled.notify_waiters();
        if rejected == Some(true) {
            self.lose(env_id);
        }
    }

    /// There was nothing to send: the edge holds `version`, the newest.
    pub(crate) fn settle(&self, env_id: EnvId, version: Version) {
        let mut state = self.hub.state();
        state.recent.note(env_id, version, Some(self.id));
        state.with(self.id, env_id, |edge, listed| {
            edge.settle(env_id, version, listed);
        });
        drop(state);
        self.signals.settled.notify_waiters();
    }

    /// The edge requests the whole environment, or did not answer. It is sent at once, but with growing pauses if this
    /// happens repeatedly.
    pub fn lose(&self, env_id: EnvId) {
        match self
            .hub
            .with(self.id, env_id, |edge, listed| edge.lose(env_id, listed))
            .flatten()
        {
            None => {}
            Some(1) => self.retry(env_id),
            Some(losses) => {
                let (hub, id) = (Arc::clone(&self.hub), self.id);
                let pause = Duration::from_millis(500).saturating_mul(losses);
                tokio::spawn(async move {
                    sleep(pause.min(Duration::from_secs(30))).await;
                    hub.with(id, env_id, |edge, listed| edge.retry(env_id, listed));
                });
            }
        }
    }

    /// What was taken could not be sent, or was lost: queues it again.
    pub fn retry(&self, env_id: EnvId) {
        self.hub
            .with(self.id, env_id, |edge, listed| edge.retry(env_id, listed));
    }

    /// Adds an environment to what is wanted, as soon as it is known; has no effect if it stays unknown or may not be
    /// held.
    pub(crate) async fn name(&self, env_id: EnvId) {
        // A new environment is noticed by then.
        drop(timeout(Duration::from_secs(2), self.hub.listed(env_id)).await);
        self.hub.with(self.id, env_id, |edge, listed| {
            if let Some(listed) = listed {
                edge.name(env_id, listed);
            }
        });
    }

    /// The newest version of an environment.
    pub(crate) fn version(&self, env_id: EnvId) -> Option<Version> {
        self.hub.version(env_id)
    }

    /// Ends the session.
    pub(crate) fn end(&self, ended: Ended) {
        self.signals.end(ended);
    }

    /// Waits until the hub ends the session.
    pub async fn ended(&self) -> Ended {
        let mut ended = self.signals.ended.subscribe();
        match ended.wait_for(Option::is_some).await.map(|ended| *ended) {
            Ok(Some(ended)) => ended,
            // The sender lives as long as the subscription.
            Ok(None) | Err(_) => std::future::pending().await,
        }
    }

    /// The edge dropped an environment: nothing about it is sent until it is named again.
    pub(crate) fn forget(&self, env_id: EnvId) {
        self.hub
            .with(self.id, env_id, |edge, listed| edge.forget(env_id, listed));
    }

    /// From now on this edge is asked to flush what it counted, and is waited for.
    pub fn flushes(&self) -> Flushes {
        self.hub.listen_for_flushes(self.id);
        Flushes::new(self.signals.flush.subscribe())
    }

    /// Records the edge's state: its round-trip time if it has one, and its open event streams.
    pub fn note(&self, rtt: Option<Duration>, streams: u32) {
        self.signals.vitals.note(rtt, streams);
    }

    /// The edge answered a request to flush.
    pub fn flushed(&self, request: u64) {
        self.hub.flushed(self.id, request);
    }

    /// Keys created since the last call, at least one.
    pub(crate) async fn new_keys(&self) -> Vec<KeyHash> {
        let mut keys = self.signals.new_keys.subscribe();
        // Checks the value instead of waiting for a change: every call starts with a new receiver.
        drop(keys.wait_for(|keys| !keys.is_empty()).await);
        self.signals.new_keys.send_replace(Vec::new())
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.hub.unsubscribe(self.id);
    }
}
