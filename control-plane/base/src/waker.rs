//! Waking background work early.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::{sync::watch, time::Instant};

/// Wakes the jobs that listen to it. Carries no data on purpose: a job with an argument would behave differently after a restart.
#[derive(Clone, Debug)]
pub struct Waker {
    sender: watch::Sender<()>,
    since: Arc<Mutex<Option<Instant>>>,
}

impl Waker {
    /// A waker without listeners.
    pub fn new() -> Self {
        Self {
            sender: watch::Sender::new(()),
            since: Arc::default(),
        }
    }

    /// Asks for one more activation; calls made while one is pending coalesce.
    pub fn wake(&self) {
        self.since.lock().get_or_insert_with(Instant::now);
        self.sender.send_replace(());
    }

    /// Subscribes a job. Wake-ups from before this call are not seen.
    pub fn listen(&self) -> watch::Receiver<()> {
        self.sender.subscribe()
    }

    /// When it was first asked for what nobody has taken yet: for the job that measures how late it is.
    pub fn take_since(&self) -> Option<Instant> {
        self.since.lock().take()
    }
}

impl Default for Waker {
    fn default() -> Self {
        Self::new()
    }
}
