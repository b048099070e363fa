//! What SDKs asked this edge: how often each flag was answered with which reason, what clients said they showed, which API
//! keys were used.
//!
//! Answers are counted where they are made, by [`Counters`] of the served environment; only keys that no flag has go through
//! a lock. Every interval the counts are *collected* into a batch of [`waiting`]. Batches go up one after the other and wait
//! here, and on disk while there is no link, until the control plane says that it stored them. It stores each number of a
//! boot once, so a batch may be sent again at any time. So every answer is counted once; what is lost with a killed process
//! is what it counted since the last collection.

mod batch;
mod counters;
mod impressions;
mod keep;
mod ledger;
mod report;
mod tally;
mod unknown;
mod waiting;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use protocol::wire::usage::{Impression, UsageBatch};
use tokio::sync::watch;

use self::waiting::{Collected, Waiting};
use crate::Edge;

pub(crate) use self::{
    batch::BatchId,
    counters::Counters,
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
    /// Told when a batch came or went.
    changed: watch::Sender<()>,
}

impl Usage {
    /// Of a process that starts now.
    pub(crate) fn new(ledger: Arc<Ledger>) -> Self {
        Self {
            ledger,
            waiting: Mutex::new(Waiting::new(rand::random())),
            changed: watch::Sender::new(()),
        }
    }

    /// Keeps an impression.
    pub(crate) fn track(&self, impression: Impression) {
        self.ledger.track(impression);
    }

    /// Puts batches of an earlier run before all others.
    pub(crate) fn restore(&self, batches: Vec<UsageBatch>) {
        self.waiting().restore(batches);
        self.changed.send_replace(());
    }

    /// What the disk is to be told so that it has what waits now.
    pub(crate) fn upkeep(&self) -> Upkeep {
        self.waiting().upkeep()
    }

    /// The oldest batch that waits. It does not change any more.
    pub(crate) fn oldest(&self) -> Option<Arc<UsageBatch>> {
        self.waiting().oldest()
    }

    /// Waits until there is a batch, and gives the oldest.
    pub(crate) async fn next(&self) -> Arc<UsageBatch> {
        let mut changed = self.changed.subscribe();
        loop {
            if let Some(oldest) = self.oldest() {
                return oldest;
            }
            changed.changed().await.expect("the sender is ours");
        }
    }

    /// The newest batch, whose arrival means that of all before it. It does not change any more.
    pub(crate) fn newest(&self) -> Option<BatchId> {
        self.waiting().newest()
    }

    /// Whether a batch need not be sent any more; without a batch there is nothing to be sent.
    pub(crate) fn has_stored(&self, id: Option<BatchId>) -> bool {
        id.is_none_or(|id| !self.waiting().has(id))
    }

    /// How many batches wait.
    pub(crate) fn count(&self) -> usize {
        self.waiting().count()
    }

    /// Forgets a batch that the control plane stored.
    pub(crate) fn stored(&self, id: BatchId) {
        self.waiting().stored(id);
        self.changed.send_replace(());
    }

    /// A panic while the lock is held leaves whole batches.
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
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
            tracing::warn!(dropped, "more impressions than there is room for");
        }
        parts.usage.waiting().add(collected);
        parts.usage.changed.send_replace(());
    }

    /// The oldest batch that the control plane did not store yet. It does not change any more, and stays until
    /// [`Edge::usage_stored`].
    #[must_use]
    pub fn oldest_usage(&self) -> Option<Arc<UsageBatch>> {
        self.parts().usage.oldest()
    }

    /// The control plane stored this batch.
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
