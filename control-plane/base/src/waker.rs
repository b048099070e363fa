//! Waking background work early.

use tokio::sync::watch;

/// Wakes the jobs that listen to it. Carries no data on purpose: a job with an argument would behave differently after a restart.
#[derive(Clone, Debug)]
pub struct Waker(watch::Sender<()>);

impl Waker {
    /// A waker without listeners.
    pub fn new() -> Self {
        Self(watch::Sender::new(()))
    }

    /// Asks for one more activation; calls made while one is pending coalesce.
    pub fn wake(&self) {
        self.0.send_replace(());
    }

    /// Subscribes a job. Wake-ups from before this call are not seen.
    pub fn listen(&self) -> watch::Receiver<()> {
        self.0.subscribe()
    }
}

impl Default for Waker {
    fn default() -> Self {
        Self::new()
    }
}
