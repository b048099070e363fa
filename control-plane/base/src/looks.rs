//! Polls of the database, numbered, so that callers can wait for a poll that began after a moment.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use tokio::sync::watch;

/// The polls of one process, numbered from 1. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Looks {
    begun: Arc<AtomicU64>,
    done: Arc<watch::Sender<u64>>,
}

/// The polls that had begun at some moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Begun(u64);

impl Looks {
    /// Begins a poll; returns its number.
    pub fn begin(&self) -> u64 {
        self.begun.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// Marks a poll as successful.
    pub fn end(&self, number: u64) {
        self.done.send_replace(number);
    }

    pub fn begun(&self) -> Begun {
        Begun(self.begun.load(Ordering::SeqCst))
    }

    /// Waits until a poll succeeds that began after these.
    pub async fn after(&self, begun: Begun) {
        let mut done = self.done.subscribe();
        // The sender lives as long as this.
        drop(done.wait_for(|done| *done > begun.0).await);
    }
}
