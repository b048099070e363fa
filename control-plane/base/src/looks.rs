//! Looks at the database, numbered: who needs to know what was looked at after a moment can wait for it.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use tokio::sync::watch;

/// The looks of one process, numbered from 1. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Looks {
    begun: Arc<AtomicU64>,
    done: Arc<watch::Sender<u64>>,
}

/// The looks that had begun at some moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Begun(u64);

impl Looks {
    /// A look begins; returns its number.
    pub fn begin(&self) -> u64 {
        self.begun.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// A look succeeded.
    pub fn end(&self, number: u64) {
        self.done.send_replace(number);
    }

    /// Those that have begun by now.
    pub fn begun(&self) -> Begun {
        Begun(self.begun.load(Ordering::SeqCst))
    }

    /// Waits until one has succeeded that began after these.
    pub async fn after(&self, begun: Begun) {
        let mut done = self.done.subscribe();
        // The sender lives as long as this.
        drop(done.wait_for(|done| *done > begun.0).await);
    }
}
