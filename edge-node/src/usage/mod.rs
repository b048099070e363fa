//! What SDKs asked this edge: how often each flag was answered with what and why, which variants clients say they
//! showed, which API keys were used.
//!
//! Answers are counted where they are made, by the [`Counters`] of the served environment; only keys that no flag has
//! go through a lock. At every interval the counts are *collected* into a batch of [`waiting`]. Batches are uploaded
//! one after the other. They wait here, and on disk while there is no link, until the control plane confirms that it
//! stored them. It counts each number of a boot only once, so a batch may be sent again at any time. Every answer is
//! thus counted once; a killed process loses what it counted since the last collection.

mod batch;
mod defaults;
mod impressions;
mod keep;
mod ledger;
mod report;
mod reports;
mod tally;
mod unknown;
mod waiting;

use std::sync::Arc;

use parking_lot::Mutex;
use protocol::{
    ids::OrgId,
    wire::usage::{Impression, ToldDefault, UsageBatch},
};
use tokio::sync::watch;

use self::{
    defaults::Defaults,
    reports::Reports,
    waiting::{Collected, Waiting},
};
use crate::{
    Edge,
    current::{Current, Served},
};

pub(crate) use counters::{Counters, Counting, Given};

pub(crate) use self::{
    batch::BatchId,
    defaults::{SERVICE, TellsDefault},
    keep::{finish, run},
    ledger::Ledger,
    report::report,
    tally::Tally,
    waiting::Upkeep,
};

/// The usage of one edge.
pub(crate) struct Usage {
    ledger: Arc<Ledger>,
    waiting: Mutex<Waiting>,
    /// Which reports of SDKs were counted.
    reports: Mutex<Reports>,
    /// Which defaults callers told.
    defaults: Mutex<Defaults>,
    /// Notified when a batch was added or removed.
    changed: watch::Sender<()>,
}

impl Usage {
    /// For a process that starts now.
    pub(crate) fn new(ledger: Arc<Ledger>) -> Self {
        Self {
            ledger,
            waiting: Mutex::new(Waiting::new(rand::random())),
            reports: Mutex::default(),
            defaults: Mutex::default(),
            changed: watch::Sender::new(()),
        }
    }

    /// Adds an impression.
    pub(crate) fn track(&self, org_id: OrgId, impression: Impression) {
        self.ledger.track(org_id, impression);
    }

    /// Queues batches of an earlier run ahead of all others.
    pub(crate) fn restore(&self, batches: Vec<UsageBatch>, current: &Current) {
        let org_of = |env_id| current.org_of(env_id);
        self.waiting.lock().restore(batches, org_of);
        self.changed.send_replace(());
    }

    /// What to change on disk so that it holds what waits now.
    pub(crate) fn upkeep(&self) -> Upkeep {
        self.waiting.lock().upkeep()
    }

    /// The oldest waiting batch. It no longer changes.
    pub(crate) fn oldest(&self) -> Option<Arc<UsageBatch>> {
        self.waiting.lock().oldest()
    }

    /// Waits for a batch, and returns the oldest.
    pub(crate) async fn next(&self) -> Arc<UsageBatch> {
        let mut changed = self.changed.subscribe();
        loop {
            if let Some(oldest) = self.oldest() {
                return oldest;
            }
            changed.changed().await.expect("the sender is ours");
        }
    }

    /// The newest batch; once it is stored, so are all before it. It no longer changes.
    pub(crate) fn newest(&self) -> Option<BatchId> {
        self.waiting.lock().newest()
    }

    /// Whether a batch no longer waits; without a batch, nothing waits.
    pub(crate) fn has_stored(&self, id: Option<BatchId>) -> bool {
        id.is_none_or(|id| !self.waiting.lock().has(id))
    }

    /// The number of waiting batches.
    pub(crate) fn count(&self) -> usize {
        self.waiting.lock().count()
    }

    /// Removes a batch that the control plane stored.
    pub(crate) fn stored(&self, id: BatchId) {
        self.waiting.lock().stored(id);
        self.changed.send_replace(());
    }
}

impl Edge {
    /// Puts what was counted until now into batches.
    pub fn collect_usage(&self) {
        let parts = self.parts();
        let mut collected = Collected::default();
        parts.current.take_counts(&mut collected.tally);
        parts.usage.ledger.take_counts(&mut collected.tally);
        parts.current.take_used_keys(&mut collected.keys_used);
        let (impressions, dropped) = parts.usage.ledger.take_impressions();
        collected.impressions = impressions.collect();
        if dropped > 0 {
            metrics::counter!("halyard_edge_impressions_dropped_total").increment(dropped);
            tracing::warn!(dropped, "dropped impressions that exceeded the bound");
        }
        let org_of = |env_id| parts.current.org_of(env_id);
        parts.usage.waiting.lock().add(collected, org_of);
        parts.usage.changed.send_replace(());
    }

    /// Counts what a caller told of a default, if there is such a flag.
    pub(crate) fn tell_default(&self, environment: &Served, tells: TellsDefault<'_>) {
        if environment.flag(tells.flag_key).is_none() {
            return;
        }
        let env_id = environment.head().env_id;
        if !self.parts().usage.defaults.lock().add(env_id, tells) {
            metrics::counter!("halyard_edge_defaults_dropped_total").increment(1);
        }
    }

    /// Takes which defaults callers told since the last time.
    #[must_use]
    pub fn take_defaults(&self) -> Vec<ToldDefault> {
        self.parts().usage.defaults.lock().take()
    }

    /// The oldest batch that the control plane has not stored yet. It no longer changes, and is kept until
    /// [`Edge::usage_stored`].
    #[must_use]
    pub fn oldest_usage(&self) -> Option<Arc<UsageBatch>> {
        self.parts().usage.oldest()
    }

    /// Removes a batch, since the control plane stored it.
    pub fn usage_stored(&self, boot: [u8; 16], sequence: u64) {
        self.parts().usage.stored(BatchId { boot, sequence });
    }

    /// Collects, and waits until all of it is stored.
    pub(crate) async fn flush_usage(&self) {
        self.collect_usage();
        let usage = &self.parts().usage;
        let mut changed = usage.changed.subscribe();
        let newest = usage.newest();
        while !usage.has_stored(newest) {
            changed.changed().await.expect("the sender is ours");
        }
    }
}
